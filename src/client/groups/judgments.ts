import type { Recorded } from '../documents.ts';
import type { JudgmentFilter } from '../filters.ts';
import { newId } from '../identity.ts';
import type {
  DeliveryAssessment,
  DeliveryRecord,
  GatePassage,
  GateRequest,
  Integration,
  IntegrationRecord,
  Judgment,
  JudgmentWithEvidence,
  LifecycleEvent,
  LifecycleRecord,
  Verification,
  VerificationRecord,
} from '../judgment-documents.ts';
import type { Listing } from '../pages.ts';
import { prepared } from '../prepared.ts';
import type { Transport } from '../transport.ts';
import { segment } from '../url.ts';
import { readList, readOne } from './read.ts';

type About<T> = Omit<T, 'outcome_id'>;

export interface Judgments {
  /** The judgment of an outcome, or of an invocation or execution whether it has ended or not, with all evidence. */
  get(id: string): Promise<JudgmentWithEvidence>;
  /** One for each invocation and execution, ended or open. */
  list(filter?: JudgmentFilter): Listing<Judgment>;
  /** Records what a verification said of somebody else's outcome; `runVerification` of `outcome-ledger/runner` runs one. */
  verify(outcomeId: string, verification: About<Verification>): Promise<Recorded<VerificationRecord>>;
  /** Records what somebody else's run was seen to deliver. */
  assess(outcomeId: string, assessment: About<DeliveryAssessment>): Promise<Recorded<DeliveryRecord>>;
  /** Records that what an outcome delivered was merged, if the gate lets it (operators). */
  integrate(outcomeId: string, integration: About<Integration>): Promise<Recorded<IntegrationRecord>>;
  /** Says what an open run is doing: waiting, pending or running. */
  lifecycle(event: LifecycleEvent): Promise<Recorded<LifecycleRecord>>;
  /** All pass, or it throws `gate_refused` and names each that does not. A flag that was needed is recorded. */
  gate(request: GateRequest): Promise<GatePassage[]>;
}

export function judgments(transport: Transport): Judgments {
  const post = async <T>(path: string, document: object, what: string): Promise<Recorded<T>> => {
    const answer = await transport.call<T>({
      method: 'POST',
      path: `judgments/${path}`,
      body: prepared(document, what),
    });
    return { record: answer.data, replayed: answer.replayed };
  };
  return {
    get: (id) => readOne(transport, `judgments/${segment(id)}`),
    list: (filter) => readList(transport, 'judgments', filter),
    verify: (outcomeId, verification) =>
      post(
        `${segment(outcomeId)}/verifications`,
        { ...verification, verification_id: verification.verification_id ?? newId() },
        'the verification',
      ),
    assess: (outcomeId, assessment) =>
      post(
        `${segment(outcomeId)}/deliveries`,
        { ...assessment, assessment_id: assessment.assessment_id ?? newId() },
        'the assessment',
      ),
    integrate: (outcomeId, integration) => post(`${segment(outcomeId)}/integration`, integration, 'the integration'),
    lifecycle: (event) =>
      post('lifecycle', { ...event, lifecycle_event_id: event.lifecycle_event_id ?? newId() }, 'the event'),
    gate: async (request) =>
      (
        await transport.call<{ items: GatePassage[] }>({
          method: 'POST',
          path: 'judgments/gate',
          body: prepared(request, 'the gate’s question'),
        })
      ).data.items,
  };
}

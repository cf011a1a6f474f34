import type { Conclusion } from './conclusion.ts';
import type { Envelope, OutcomeRequest, RecordedEnvelope, RecordedOutcome } from './documents.ts';
import { LedgerConflictError, LedgerError, LedgerUnreachableError, retell } from './errors.ts';
import { rememberOutcome, withRecordingError } from './faults-of-runs.ts';
import { type Run, runOf } from './run-options.ts';
import { errorEntry } from './thrown.ts';

/** Refusals that are about what the envelope says, so that the same work can never be recorded as it is. */
const REFUSES_CONTENT = new Set([
  'result_schema_mismatch',
  'envelope_invalid',
  'request_invalid',
  'payload_too_large',
  'json_invalid',
  'not_storable',
]);

export interface Settlement {
  subject: { invocation_id: string } | { execution_id: string };
  envelope: Envelope;
  conclusion: Conclusion;
  record(request: OutcomeRequest): Promise<RecordedOutcome>;
}

/**
 * Records the one outcome of a run, then gives the run or throws what it has to throw.
 *
 * An envelope whose content is refused (a result that does not fit its schema, is too large, …) leaves the work
 * unrecorded for good if nothing else is done; a failure that says so is recorded instead, and the refusal is thrown
 * with the result on it. A conflict is over: the
 * outcome that stands is named, and the ledger keeps this envelope as a late one. Other refusals (policy, permission,
 * no connection) may pass or be settled by someone: nothing else is recorded, and the error carries both the result and
 * the envelope.
 */
export async function settle<T>(settlement: Settlement): Promise<Run<T>> {
  const { conclusion, envelope } = settlement;
  let outcome: RecordedEnvelope;
  try {
    outcome = (await settlement.record({ ...settlement.subject, outcome: envelope } as OutcomeRequest)).outcome;
  } catch (fault) {
    throw await unrecorded(settlement, fault);
  }
  if (!conclusion.toThrow) return runOf(outcome, conclusion.returned as T | null, false);
  rememberOutcome(conclusion.toThrow.error, outcome);
  throw tellRecorded(conclusion.toThrow, outcome);
}

/** What to throw when recording failed. */
async function unrecorded(settlement: Settlement, fault: unknown): Promise<unknown> {
  const { conclusion, subject, envelope } = settlement;
  if (fault instanceof LedgerError) {
    if (conclusion.returned !== null) fault.result = conclusion.returned;
    if (REFUSES_CONTENT.has(fault.code)) await recordRefusal(settlement, fault);
    else if (!(fault instanceof LedgerConflictError))
      fault.unrecorded = { ...subject, outcome: envelope } as OutcomeRequest;
    if (fault instanceof LedgerUnreachableError) {
      const where = conclusion.toThrow ? 'error.recordingError.unrecorded' : 'error.unrecorded';
      retell(fault, `${fault.message}; the work HAS run and is not recorded: pass ${where} to ledger.outcomes.record`);
    }
  }
  if (!conclusion.toThrow) return fault;
  const original = withRecordingError(conclusion.toThrow.error, fault);
  const recorded = recordedInstead.get(fault as object);
  if (recorded) {
    rememberOutcome(original, recorded);
    tellRecorded(conclusion.toThrow, recorded);
  }
  return original;
}

/** The calling code's mistake says what stands in the ledger now; what the function itself threw is left as it is. */
function tellRecorded({ error, remedy }: NonNullable<Conclusion['toThrow']>, outcome: RecordedEnvelope): unknown {
  if (remedy === undefined || !(error instanceof LedgerError)) return error;
  error.outcome = outcome;
  const { status, outcome_id } = outcome;
  return retell(error, `${error.code}: ${error.message}; recorded as ${status} ${outcome_id}. ${remedy}`);
}

const recordedInstead = new WeakMap<object, RecordedEnvelope>();

async function recordRefusal(settlement: Settlement, refusal: LedgerError): Promise<void> {
  const { envelope, subject, record } = settlement;
  const first = refusal.violations[0];
  const entry = errorEntry(
    {
      code: refusal.code.toUpperCase(),
      message: `the outcome was refused: ${refusal.message}`,
      field: first?.path,
      recoverable: false,
    },
    false,
  );
  // The work's own errors come first; those beside a result may be what was refused.
  const ownErrors = envelope.result === null ? (envelope.errors ?? []) : [];
  const instead: Envelope = {
    ...envelope,
    status: statusInstead(envelope),
    result: null,
    quality: null,
    escalation: null,
    errors: [...ownErrors, entry],
    execution_context: envelope.execution_context
      ? { execution_pattern: envelope.execution_context.execution_pattern }
      : null,
  };
  try {
    const { outcome } = await record({ ...subject, outcome: instead } as OutcomeRequest);
    recordedInstead.set(refusal, outcome);
    rememberOutcome(refusal, outcome);
  } catch (fault) {
    refusal.unrecorded = { ...subject, outcome: instead } as OutcomeRequest;
    withRecordingError(refusal, fault);
  }
}

function statusInstead(envelope: Envelope): Envelope['status'] {
  if (envelope.status === 'timeout') return 'timeout';
  return envelope.policy?.decision === 'block' ? 'blocked' : 'failure';
}

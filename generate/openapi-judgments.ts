// Evidence, judgments, the gate and their statistics, as JSON Schema.
import { STATUSES } from '../src/contract/index.ts';
import { DELIVERY_ASSESSMENTS, JUDGMENTS, LIFECYCLES, VERIFICATIONS } from '../src/contract/judgment/index.ts';
import { GATE_FLAGS, UNVERIFIED_REASONS } from '../src/contract/judgment/words.ts';
import { flag, id, integer, type Json, list, orNull, record, recorded, ref, text, time, word } from './json-schema.ts';

const source = record('Who ran.', { type: word(['agent', 'workflow']), id: text, version: text, domain: text });
const kept = { recorded_at: time, recorded_by: text };
const rate: Json = { type: ['number', 'null'], minimum: 0, maximum: 1 };
const interval = orNull(record('Wilson’s interval at 95 %.', { low: rate, high: rate }));
const reason: Json = { ...orNull(word(UNVERIFIED_REASONS)), description: 'Why verification could not answer.' };
const tag: Json = {
  ...orNull(word(['VFAIL', 'VTIMEOUT', 'VINFRA', 'VNORESULT'])),
  description: 'What people are shown when verification has something to say.',
};
const gate = word(['proceed', 'warn', 'refuse_override', 'refuse']);

const judgment = {
  subject_type: word(['invocation', 'execution']),
  invocation_id: orNull(id),
  execution_id: orNull(id),
  outcome_id: { ...orNull(id), description: 'Null while it is open.' },
  source,
  correlation_id: text,
  status: { ...orNull(word(STATUSES)), description: 'What was claimed; null while it is open.' },
  lifecycle: { ...word(LIFECYCLES), description: 'Did it end, and was it merged.' },
  verification: { ...word(VERIFICATIONS), description: 'What verification says.' },
  required: { type: 'boolean', description: 'Whether it needs a verification.' },
  assessment: orNull(word(DELIVERY_ASSESSMENTS)),
  judgment: { ...word(JUDGMENTS), description: 'Did it succeed: `verified` and `delivered` say yes.' },
  reason,
  tag,
  gate,
  counts_as_success: flag,
  in_success_base: flag,
  in_agent_score: flag,
  recorded_at: time,
};

export function judgmentSchemas(documents: Json): Json {
  return {
    VerificationRecord: recorded(documents['Verification'], 'A recorded verification.', {
      verification_required: { type: 'boolean', description: 'Whether the outcome needs one, as of this.' },
      ...kept,
    }),
    DeliveryRecord: recorded(documents['DeliveryAssessment'], 'A recorded assessment.', kept),
    IntegrationRecord: record('A recorded integration.', {
      outcome_id: id,
      reference: text,
      gate_flag: { ...orNull(word(GATE_FLAGS)), description: 'The flag that opened the gate, if one was needed.' },
      gate_reason: orNull(text),
      ...kept,
    }),
    LifecycleRecord: recorded(documents['LifecycleEvent'], 'A recorded lifecycle event.', kept),
    Judgment: record('What an invocation or an execution is judged to be.', judgment),
    JudgmentWithEvidence: record('A judgment, and the latest that it rests on: at most 100 of a kind, oldest first.', {
      ...judgment,
      verifications: list(ref('VerificationRecord')),
      verifications_total: integer,
      assessments: list(ref('DeliveryRecord')),
      assessments_total: integer,
      integration: orNull(ref('IntegrationRecord')),
    }),
    GateAnswer: record('All passed.', {
      items: list(
        record('One that passed, and how.', {
          id,
          outcome_id: orNull(id),
          lifecycle: word(LIFECYCLES),
          verification: word(VERIFICATIONS),
          judgment: word(JUDGMENTS),
          reason,
          tag,
          gate,
          gate_flag: orNull(word(GATE_FLAGS)),
          gate_reason: orNull(text),
        }),
      ),
    }),
    JudgmentStatistics: record('Outcomes, counted by what they are judged to be.', {
      items: list(
        record('A version of an agent or workflow in a domain.', {
          source,
          outcomes: integer,
          judgments: record('How many of each.', Object.fromEntries(JUDGMENTS.map((one) => [one, integer]))),
          success_base: { type: 'integer', description: 'Judged outcomes that are not in progress.' },
          successes: integer,
          success_rate: rate,
          success_interval: interval,
          agent_score_base: { type: 'integer', description: 'Verified, delivered, broken and failed.' },
          agent_score: rate,
          agent_score_interval: interval,
          claims: record('What outcomes say of themselves, beside what became of it.', {
            success: { type: 'integer', description: 'Outcomes that say success.' },
            contradicted: { type: 'integer', description: 'Of those, what verification says no to.' },
            hollow: { type: 'integer', description: 'Of those, what delivered nothing.' },
            unverified: { type: 'integer', description: 'Of those, what verification could not answer for.' },
          }),
          shares: record('Of all outcomes.', { partial: rate, blocked: rate, skipped: rate, escalated: rate }),
        }),
      ),
    }),
  };
}

// status × governance class × recorded decision × what the envelope says of it: the whole product, against the design's words.
import { beforeAll, describe, expect, it } from 'vitest';
import { type OutcomeStatus, STATUSES } from '../src/contract/statuses.ts';
import { jsonb } from '../src/database/statement.ts';
import { useDatabase } from './support/database.ts';
import {
  type Document,
  envelopeFor,
  executionStart,
  invocationStart,
  policyDecision,
  policyMember,
} from './support/envelopes.ts';
import { refusalOf } from './support/refused.ts';
import { type Answer, GUARD, ORCHESTRATOR, type SqlLedger, sqlLedger } from './support/sql-ledger.ts';

const database = useDatabase();
let ledger: SqlLedger;
let guard: SqlLedger;

beforeAll(async () => {
  const tenantId = await database.tenant();
  ledger = sqlLedger(database, { tenantId, ...ORCHESTRATOR });
  guard = sqlLedger(database, { tenantId, ...GUARD });
});

const CLASSES = ['autonomous', 'supervised', 'restricted'] as const;
const DECISIONS = ['allow', 'block', 'escalate'] as const;
type Decision = (typeof DECISIONS)[number];
interface Recorded {
  decision: Decision;
  requires_hitl: boolean;
}
const RECORDED: (Recorded | null)[] = [
  null,
  ...DECISIONS.flatMap((decision) => [false, true].map((requires_hitl) => ({ decision, requires_hitl }))),
];
/** What the envelope says: nothing, what was recorded, or something else. */
const SAYS = ['nothing', 'the same', 'another decision', 'another score'] as const;

interface Case {
  status: OutcomeStatus;
  governance: (typeof CLASSES)[number];
  recorded: Recorded | null;
  says: (typeof SAYS)[number];
}

const CASES: Case[] = STATUSES.flatMap((status) =>
  CLASSES.flatMap((governance) =>
    RECORDED.flatMap((recorded) => SAYS.map((says) => ({ status, governance, recorded, says }))),
  ),
);

function memberOf({ recorded, says }: Case): Document | null {
  if (says === 'nothing') return null;
  const truth: Document = {
    ...policyMember(recorded?.decision ?? 'allow'),
    requires_hitl: recorded?.requires_hitl ?? false,
  };
  if (says === 'another decision') return { ...truth, decision: truth['decision'] === 'allow' ? 'escalate' : 'allow' };
  return says === 'another score' ? { ...truth, risk_score: 0.9 } : truth;
}

/** The design's words: section 5's table first, then "with a recorded decision …", then what producing a result needs. */
function expected(about: Case): string {
  const { status, governance, recorded } = about;
  const said = memberOf(about)?.['decision'] ?? null;
  if (status === 'blocked' && said !== 'block') return 'envelope_invalid';
  if (status !== 'blocked' && status !== 'timeout' && said === 'block') return 'envelope_invalid';
  if (recorded ? about.says !== 'the same' : said !== null) return 'policy_mismatch';
  // Nobody but recovery ends a blocked subject otherwise.
  if (status === 'timeout' && recorded?.decision === 'block') return 'policy_mismatch';
  if (status !== 'success' && status !== 'partial') return 'recorded';
  if (recorded && (recorded.requires_hitl || recorded.decision === 'escalate')) return 'hitl_required';
  return governance !== 'autonomous' && recorded?.decision !== 'allow' ? 'policy_required' : 'recorded';
}

const nameOf = ({ status, governance, recorded, says }: Case) =>
  `${status}, ${governance}, ${recorded ? `${recorded.decision}${recorded.requires_hitl ? ' and a human' : ''}` : 'no decision'}, envelope says ${says}`;

describe.each(['invocation', 'execution'] as const)('of an %s', (kind) => {
  it('every combination is answered as the design says', async () => {
    const answered: Record<string, string> = {};
    for (let from = 0; from < CASES.length; from += 100) {
      const chunk = CASES.slice(from, from + 100);
      const make = kind === 'invocation' ? invocationStart : executionStart;
      const starts = chunk.map((about) => make({ governance_class: about.governance }));
      await ledger.ask(`start_${kind}s`, jsonb(starts));
      const id = `${kind}_id`;
      const decisions = chunk.flatMap(({ recorded }, n) =>
        recorded ? [policyDecision({ [id]: starts[n]?.[id] }, { ...recorded })] : [],
      );
      if (decisions.length > 0) {
        const decided = await guard.ask<Answer[]>('record_policy_decisions', jsonb(decisions));
        expect(decided.every((answer) => answer.result === 'recorded')).toBe(true);
      }
      const items = chunk.map((about, n) => ({
        [id]: starts[n]?.[id],
        outcome: envelopeFor(starts[n] as Document, about.status, { policy: memberOf(about) }),
      }));
      const answers = await ledger.ask<Answer[]>('record_outcomes', jsonb(items));
      for (const [n, answer] of answers.entries())
        answered[nameOf(chunk[n] as Case)] = answer.refusal?.['code'] ?? answer.result;
    }
    expect(answered).toEqual(Object.fromEntries(CASES.map((about) => [nameOf(about), expected(about)])));
    expect(Object.keys(answered)).toHaveLength(7 * 3 * 7 * 4);
  });
});

describe('the decision an envelope must carry', () => {
  it('is told to whom got it wrong, and its moment may be spelled otherwise', async () => {
    const start = await ledger.start();
    await guard.decide(
      policyDecision(
        { invocation_id: start['invocation_id'] },
        { evaluated_at: '2026-05-20T10:00:00.1Z', risk_score: 0.5 },
      ),
    );
    const refused = await refusalOf(ledger.record(start));
    expect(refused).toMatchObject({
      code: 'policy_mismatch',
      paths: ['/policy'],
      extra: { policy: { decision: 'allow', risk_score: 0.5 } },
    });
    const spelled = { ...policyMember(), risk_score: 0.5, evaluated_at: '2026-05-20T10:00:00.100000000+00:00' };
    expect((await ledger.record(start, envelopeFor(start, 'success', { policy: spelled }))).result).toBe('recorded');
  });

  it.each([
    ['rule', { policy_rule_triggered: 'rule-2' }],
    ['score', { risk_score: 0.081 }],
    ['human', { requires_hitl: true }],
    ['moment', { evaluated_at: '2026-05-20T10:00:00.100000001Z' }],
  ])('differs by its %s alone', async (_, over) => {
    const start = await ledger.start();
    await guard.decide(policyDecision({ invocation_id: start['invocation_id'] }));
    const refused = await refusalOf(
      ledger.record(start, envelopeFor(start, 'success', { policy: { ...policyMember(), ...over } })),
    );
    expect(refused.code).toBe('policy_mismatch');
    expect((await ledger.record(start, envelopeFor(start, 'success', { policy: policyMember() }))).result).toBe(
      'recorded',
    );
  });

  it('is another tenant’s to nobody', async () => {
    const stranger = sqlLedger(database, { tenantId: await database.tenant(), ...GUARD });
    const start = await ledger.start();
    const foreign = await refusalOf(stranger.decide(policyDecision({ invocation_id: start['invocation_id'] })));
    expect(foreign.code).toBe('unknown_invocation');
    expect((await ledger.record(start)).result).toBe('recorded');
  });
});

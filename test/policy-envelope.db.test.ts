// status × governance class × decision × requires_hitl × a human's answer: the whole product against the specification's words,
// by the recording functions and by bare inserts. Then what the envelope says of the decision, beside what was recorded.
import { beforeAll, describe, expect, it } from 'vitest';
import { jsonb } from '../src/database/statement.ts';
import { undone } from './support/attacks.ts';
import { claimsOf } from './support/claims.ts';
import { useDatabase } from './support/database.ts';
import {
  type Document,
  envelopeFor,
  executionStart,
  invocationStart,
  policyDecision,
  policyMember,
} from './support/envelopes.ts';
import {
  CELLS,
  type Cell,
  countedVerdicts,
  expectedVerdicts,
  KINDS,
  type Kind,
  nameOf,
  verdictOf,
} from './support/policy-product.ts';
import { layTrial, triedInserts } from './support/policy-product-inserts.ts';
import { productSubjects, type Subject } from './support/policy-product-subjects.ts';
import { refusalOf } from './support/refused.ts';
import { type Answer, GUARD, idOf, ORCHESTRATOR, type SqlLedger, sqlLedger } from './support/sql-ledger.ts';

const database = useDatabase();
let tenantId: string;
let ledger: SqlLedger;
let guard: SqlLedger;

beforeAll(async () => {
  tenantId = await database.tenant();
  ledger = sqlLedger(database, { tenantId, ...ORCHESTRATOR });
  guard = sqlLedger(database, { tenantId, ...GUARD });
});

describe('the whole product', () => {
  let subjects: Subject[];
  beforeAll(async () => {
    subjects = await productSubjects(database, tenantId);
    await layTrial(database);
  });

  it('has every verdict that the specification knows', () => {
    expect(subjects).toHaveLength(7 * 3 * 7 * 4 * 2);
    expect(countedVerdicts(expectedVerdicts())).toEqual({
      recorded: 596,
      envelope_invalid: 360,
      hitl_required: 72,
      hitl_rejected: 52,
      policy_required: 48,
      policy_mismatch: 48,
    });
  });

  it('by bare inserts as the tenant', async () => {
    expect(await database.as(ledger.caller, (tx) => triedInserts(tx, subjects))).toEqual(expectedVerdicts());
  });

  // What a rule is worth: without it some cells are answered otherwise, and only those that it speaks of.
  it.each<[string, string, (cell: Cell) => boolean]>([
    [
      'the decision',
      `require_policy(envelope jsonb, subject ledger_internal.subject, recorded public.policy_decisions) returns void language plpgsql as 'begin end'`,
      (cell) => !['recorded', 'envelope_invalid', 'hitl_rejected'].includes(verdictOf(cell)),
    ],
    [
      'the approval',
      `was_approved(decided public.policy_decisions, subject ledger_internal.subject) returns boolean language sql as 'select true'`,
      // A no of a human is seen all the same, but after the class's own demand.
      (cell) =>
        verdictOf(cell) === 'hitl_required' ||
        (verdictOf(cell) === 'hitl_rejected' &&
          cell.governance !== 'autonomous' &&
          cell.decided?.decision === 'escalate'),
    ],
    [
      'the rejection',
      `refuse_rejected(kind text, id uuid, tenant uuid) returns void language plpgsql as 'begin end'`,
      (cell) => verdictOf(cell) === 'hitl_rejected',
    ],
  ])('sees %s taken away', async (_, replacement, spokenOf) => {
    const verdicts = await undone(
      (work) => database.admin.begin(work),
      async (tx) => {
        await tx.unsafe(`create or replace function ledger_internal.${replacement}`);
        await tx`select set_config('role', 'authenticated', true), set_config('request.jwt.claims', ${JSON.stringify(claimsOf({ tenantId, ...ORCHESTRATOR }))}, true)`;
        return triedInserts(tx, subjects);
      },
    );
    const expected = expectedVerdicts();
    const otherwise = CELLS.map(nameOf).filter((name) => verdicts[name] !== expected[name]);
    expect(otherwise.sort()).toEqual(CELLS.filter(spokenOf).map(nameOf).sort());
  });

  it('by the recording functions', async () => {
    const answered: Record<string, string> = {};
    for (let from = 0; from < subjects.length; from += 100) {
      const chunk = subjects.slice(from, from + 100);
      const answers = await ledger.ask<Answer[]>('record_outcomes', jsonb(chunk.map(({ item }) => item)));
      for (const [n, answer] of answers.entries())
        answered[nameOf((chunk[n] as Subject).cell)] = answer.refusal?.['code'] ?? answer.result;
    }
    expect(answered).toEqual(expectedVerdicts());
    // What the verdicts leave behind: an outcome or open work, never both, never neither.
    const ids = subjects.map(({ start }) => idOf(start));
    const [left] = await database.sql`
      select (select count(*)::int from ledger_internal.outcomes o where o.subject_id::text = any(${ids})) as ended,
             (select count(*)::int from ledger_internal.open_work w where w.subject_id::text = any(${ids})) as open,
             (select count(*)::int from public.late_outcomes l where coalesce(l.invocation_id, l.execution_id)::text = any(${ids})) as late`;
    const recorded = countedVerdicts(expectedVerdicts())['recorded'] ?? 0;
    expect(left).toEqual({ ended: recorded, open: subjects.length - recorded, late: 0 });
  });
});

/** What the envelope says: nothing, what was recorded, or something else. */
const SAYS = ['nothing', 'the same', 'another decision', 'another score'] as const;

interface Case extends Cell {
  says: (typeof SAYS)[number];
}
/** Nobody asked a human here; the other answers are the product's above. */
const casesOf = (kind: Kind): Case[] =>
  CELLS.filter((cell) => cell.kind === kind && cell.resolution === 'none').flatMap((cell) =>
    SAYS.map((says) => ({ ...cell, says })),
  );

function memberOf({ decided, says }: Case): Document | null {
  if (says === 'nothing') return null;
  const truth: Document = {
    ...policyMember(decided?.decision ?? 'allow'),
    requires_hitl: decided?.requires_hitl ?? false,
  };
  if (says === 'another decision') return { ...truth, decision: truth['decision'] === 'allow' ? 'escalate' : 'allow' };
  return says === 'another score' ? { ...truth, risk_score: 0.9 } : truth;
}

/** The status table first, then "with a recorded decision …", then what every cell of the product is held to. */
function expected(about: Case): string {
  const { status, decided } = about;
  const said = memberOf(about)?.['decision'] ?? null;
  if (status === 'blocked' && said !== 'block') return 'envelope_invalid';
  if (status !== 'blocked' && status !== 'timeout' && said === 'block') return 'envelope_invalid';
  if (decided ? about.says !== 'the same' : said !== null) return 'policy_mismatch';
  return verdictOf(about);
}

const caseName = (about: Case) => `${nameOf(about)}, envelope says ${about.says}`;

describe.each(KINDS)('the envelope of an %s', (kind) => {
  it('what it says of the decision is held to what was recorded', async () => {
    const cases = casesOf(kind);
    const answered: Record<string, string> = {};
    for (let from = 0; from < cases.length; from += 100) {
      const chunk = cases.slice(from, from + 100);
      const make = kind === 'invocation' ? invocationStart : executionStart;
      const starts = chunk.map((about) => make({ governance_class: about.governance }));
      await ledger.ask(`start_${kind}s`, jsonb(starts));
      const id = `${kind}_id`;
      const decisions = chunk.flatMap(({ decided }, n) =>
        decided ? [policyDecision({ [id]: starts[n]?.[id] }, { ...decided })] : [],
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
        answered[caseName(chunk[n] as Case)] = answer.refusal?.['code'] ?? answer.result;
    }
    expect(answered).toEqual(Object.fromEntries(cases.map((about) => [caseName(about), expected(about)])));
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

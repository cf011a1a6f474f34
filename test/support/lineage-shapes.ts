// Lineage that is hard to walk: random knots with cycles, stacked diamonds, rings, a fan of two hundred, a long chain.
import { randomUUID } from 'node:crypto';
import type { OutcomeStatus } from '../../src/contract/statuses.ts';
import { jsonb } from '../../src/database/statement.ts';
import type { TestDatabase } from './database.ts';
import {
  type Document,
  envelopeFor,
  executionStart,
  invocationStart,
  policyDecision,
  policyMember,
} from './envelopes.ts';
import { randomFrom } from './random.ts';
import { type Answer, GUARD, ORCHESTRATOR, type SqlLedger, sqlLedger } from './sql-ledger.ts';

export interface LineageShapes {
  tenantId: string;
  /** Thirty-six outcomes with some sixty random links; every seventh governed by `guard`. */
  knot: string[];
  guard: string;
  governed: string[];
  /** Twenty diamonds, one on the other: top, two middles, bottom and top of the next, … */
  diamonds: string[];
  /** Each the cause of the next, the last of the first. */
  ring: string[];
  /** One cause, two hundred effects of it, one effect of all. */
  fan: string[];
  /** Each caused by the one before; longer than any depth that may be asked for. */
  chain: string[];
  /** A workflow that invoked its two failing steps, and failed of them: execution, first step, second step. */
  workflow: string[];
}

const KNOT = 36;

export async function writeShapes(database: Pick<TestDatabase, 'as' | 'tenant'>, seed: number): Promise<LineageShapes> {
  const random = randomFrom(seed);
  const tenantId = await database.tenant();
  const ledger = sqlLedger(database, { tenantId, ...ORCHESTRATOR });
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const failing = () => pick<OutcomeStatus>(['failure', 'timeout', 'failure', 'success', 'partial']);

  const judge = await ledger.start({ source: { id: GUARD.actorId, version: '1.0.0', domain: 'synedrix-os' } });
  const guard = await ledger.end(judge);
  const knot: string[] = [];
  const governed: string[] = [];
  for (let n = 0; n < KNOT; n += 1) {
    const start = n % 5 === 0 ? await ledger.startExecution() : await ledger.start();
    const judged = n % 7 === 0;
    if (judged) await decide(database, tenantId, start, judge['invocation_id']);
    const over = judged ? { policy: policyMember() } : {};
    const outcome = await ledger.end(start, failing(), { ...over, timing: timing(Math.floor(random() * 12)) });
    knot.push(outcome);
    if (judged) governed.push(outcome);
  }
  const links: [string, string, string][] = [];
  for (let n = 0; n < 64; n += 1) links.push([pick(knot), pick(knot), random() < 0.7 ? 'invoked' : 'escalated-to']);

  const diamonds = await endMany(ledger, 61, failing, random);
  for (let top = 0; top + 3 < diamonds.length + 0; top += 3) {
    for (const side of [top + 1, top + 2]) {
      links.push([diamonds[top] as string, diamonds[side] as string, 'invoked']);
      links.push([diamonds[side] as string, diamonds[top + 3] as string, 'invoked']);
    }
  }
  const ring = await endMany(ledger, 3, () => 'failure', random);
  ring.forEach((id, n) => {
    links.push([id, ring[(n + 1) % ring.length] as string, 'invoked']);
  });
  const fan = await endMany(ledger, 202, failing, random);
  for (const middle of fan.slice(1, -1)) {
    links.push([fan[0] as string, middle, 'invoked'], [middle, fan.at(-1) as string, 'invoked']);
  }
  await declare(ledger, links);
  const chain = await endMany(ledger, 71, () => 'failure', random, true);
  return { tenantId, guard, governed, knot, diamonds, ring, fan, chain, workflow: await failingWorkflow(ledger) };
}

function timing(ms: number): Document {
  const at = (n: number) => `2026-05-20T10:00:00.${String(n).padStart(3, '0')}123Z`;
  return { started_at: at(0), completed_at: at(ms), duration_ms: ms };
}

async function decide(
  database: Pick<TestDatabase, 'as'>,
  tenantId: string,
  start: Document,
  guard_invocation_id: string,
): Promise<void> {
  const subject = start['invocation_id']
    ? { invocation_id: start['invocation_id'] }
    : { execution_id: start['execution_id'] };
  await sqlLedger(database, { tenantId, ...GUARD }).decide(policyDecision(subject, { guard_invocation_id }));
}

/** Outcomes of invocations; with `chained` each is caused by the one before. */
async function endMany(
  ledger: SqlLedger,
  count: number,
  status: () => OutcomeStatus,
  random: () => number,
  chained = false,
): Promise<string[]> {
  const starts: Document[] = [];
  for (let n = 0; n < count; n += 1) {
    starts.push(invocationStart(chained && n > 0 ? { causation_id: starts[n - 1]?.['invocation_id'] } : {}));
  }
  const outcomes: string[] = [];
  for (let first = 0; first < count; first += 100) {
    const batch = starts.slice(first, first + 100);
    await ledger.ask('start_invocations', jsonb(batch));
    const items = batch.map((start, n) => ({
      invocation_id: start['invocation_id'],
      outcome: envelopeFor(start, status(), { timing: timing(chained ? first + n : Math.floor(random() * 12)) }),
    }));
    const answers = await ledger.ask<Answer[]>('record_outcomes', jsonb(items));
    outcomes.push(...answers.map((answer) => answer.record['outcome_id'] as string));
  }
  return outcomes;
}

async function declare(ledger: SqlLedger, links: [string, string, string][]): Promise<void> {
  const wanted = links.filter(([source, target]) => source !== target);
  const documents = [...new Map(wanted.map((link) => [link.join(), link])).values()].map(
    ([source_outcome_id, target_outcome_id, relation]) => ({ source_outcome_id, target_outcome_id, relation }),
  );
  for (let first = 0; first < documents.length; first += 100) {
    await ledger.ask('declare_links', jsonb(documents.slice(first, first + 100)));
  }
}

/** Both steps are caused by the execution and contribute to it; all three end within one millisecond. */
async function failingWorkflow(ledger: SqlLedger): Promise<string[]> {
  const execution = executionStart({ execution_id: randomUUID() });
  await ledger.ask('start_execution', jsonb(execution));
  const within = { execution_id: execution['execution_id'], causation_id: execution['execution_id'] };
  const [first, second] = [await ledger.start(within), await ledger.start(within)];
  const steps = [
    await ledger.end(first, 'failure', { timing: timing(5) }),
    await ledger.end(second, 'timeout', { timing: timing(5) }),
  ];
  return [await ledger.end(execution, 'failure', { timing: timing(5) }), ...steps];
}

import type { GapsDocument, LineageDocument, OutcomeRecord, RecordedEnvelope } from '../../client/documents.ts';
import type { RecordedCause } from '../causes.ts';
import type { Cast } from './cast.ts';
import type { SeenGraph } from './graph.ts';
import type { Played } from './play.ts';
import type { Refusal } from './refusals.ts';
import type { Sales } from './sales.ts';
import { BATCHES, PARTIAL_ERROR, RISK_SCORE } from './story.ts';

/** Everything the demo saw, read back through the ledger. */
export interface Seen {
  cast: Cast;
  played: Played;
  sales: Sales;
  outcomes: OutcomeRecord[];
  why: LineageDocument & { causes: RecordedCause[] };
  gaps: GapsDocument;
  refusals: Refusal[];
  /** Null on a stack without a graph. */
  graph: SeenGraph | null;
}

export interface DemoCheck {
  name: string;
  ok: boolean;
}

/** The demo checks itself: what the story promises is what the ledger holds. */
export function checkSeen({ played, sales, outcomes, why, gaps, refusals, graph }: Seen): DemoCheck[] {
  const failed = outcomes.filter((outcome) => outcome.status === 'failure');
  const workflow = outcomes.find((outcome) => outcome.outcome_id === played.workflow.outcome_id);
  const context = workflow?.execution_context;
  const relations = (relation: string) => why.links.filter((link) => link.relation === relation).length;
  const found = gaps.items.map((gap) => gap.gap).sort();
  return [
    check('exactly one outcome each: workflow, guard, ten agents, one stray', outcomes.length === BATCHES.length + 3),
    check('five agents failed with an inventory lock', failed.length === 5 && failed.every(isInventoryLock)),
    check('the workflow is partial: 45 allocated, 5 skipped', isPartial(workflow)),
    check('it says why: the error of the specification', same(workflow?.errors, [PARTIAL_ERROR])),
    check('ten tasks, five failed', context?.parallel_task_count === 10 && context.partial_failure_count === 5),
    check(
      "it carries the guard's decision",
      workflow?.policy?.decision === 'allow' && workflow.policy.risk_score === RISK_SCORE,
    ),
    check('its chain holds all twelve outcomes', why.nodes.length === BATCHES.length + 2 && !why.truncated),
    check('ten agents contributed to it', relations('contributed-to') === BATCHES.length),
    check('the guard governs it', relations('governed-by') === 1),
    check("the guard's outcome caused each agent", relations('invoked') === BATCHES.length),
    check(
      'gaps finds the lost cause, the undefined source, and the silent one that no policy saw',
      same(found, ['policy_missing', 'undefined_source', 'unresolved_causation']),
    ),
    ...checkSales(sales),
    ...refusals.map((refusal) => check(`refused: ${refusal.attempt}`, refusal.seen?.code === refusal.expected)),
    check('a foreign id and one that never was get the same answer', sameRefusal(refusals)),
    check('the conflict names the outcome that stands', namesWinner(refusals, played.workflow.outcome_id)),
    ...(graph ? checkGraph(graph, why) : []),
  ];
}

function checkSales({ blocked, escalated, answer, released, timedOut }: Sales): DemoCheck[] {
  return [
    check('a sealed edition was not sold: blocked by its rule', isDecided(blocked, 'blocked', 'block', 'sealed')),
    check('a large sale was put before a human', isDecided(escalated, 'escalated', 'escalate', 'large-sale')),
    check('a human approved it, with an outcome of its own', answer.resolution === 'approved'),
    check('what the human released was sold', isDecided(released, 'success', 'allow', 'sales')),
    check(
      'it names that outcome as its cause',
      answer.gateway_outcome_id !== null && released.causation_id === answer.gateway_outcome_id,
    ),
    check(
      'the silent one timed out at its deadline',
      timedOut?.status === 'timeout' && timedOut.errors?.[0]?.code === 'TIMEOUT',
    ),
  ];
}

function isDecided(outcome: OutcomeRecord | RecordedEnvelope, status: string, decision: string, rule: string): boolean {
  const { policy } = outcome;
  return outcome.status === status && policy?.decision === decision && policy.policy_rule_triggered === rule;
}

function checkGraph({ killed_pid, next_pid, ledger, graph, why: chain }: SeenGraph, why: Seen['why']): DemoCheck[] {
  const inSql = why.nodes.map((node) => node.outcome_id).sort();
  const inCypher = chain.map((row) => row.outcome_id).sort();
  return [
    check('the worker was killed half-way, and another one went on', killed_pid !== null && next_pid !== killed_pid),
    check('the graph holds every outcome of the ledger once', same(graph.outcomes, ledger.outcomes)),
    check('the graph holds every link of the ledger once', ledger.links.length > 0 && same(graph.links, ledger.links)),
    check('Cypher tells the same chain as SQL', same(inCypher, inSql)),
  ];
}

function check(name: string, ok: boolean): DemoCheck {
  return { name, ok };
}

function isInventoryLock(outcome: OutcomeRecord): boolean {
  return outcome.errors?.[0]?.message === 'inventory lock';
}

function isPartial(outcome: OutcomeRecord | undefined): boolean {
  const result = { allocated_editions: 45, skipped_editions: 5, allocation_report_id: 'rep-001' };
  return outcome?.status === 'partial' && same(outcome.result, result);
}

function sameRefusal(refusals: readonly Refusal[]): boolean {
  const [foreign, unknown] = refusals.filter((refusal) => refusal.expected === 'unknown_outcome');
  return foreign?.seen?.detail !== undefined && foreign.seen.detail === unknown?.seen?.detail;
}

function namesWinner(refusals: readonly Refusal[], outcomeId: string): boolean {
  return refusals.find((refusal) => refusal.expected === 'outcome_conflict')?.seen?.['outcome_id'] === outcomeId;
}

/** Equal as documents: order of keys aside, and absent is null. */
function same(left: unknown, right: unknown): boolean {
  return JSON.stringify(sorted(left)) === JSON.stringify(sorted(right));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, member]) => [key, sorted(member)]));
}

import type { OutcomeRecord } from '../../client/documents.ts';
import { type Colour, paintStatus } from '../render/colour.ts';
import { renderGaps } from '../render/gaps.ts';
import { renderProblem } from '../render/problem.ts';
import { renderTable } from '../render/table.ts';
import { showDuration, showTime } from '../render/time.ts';
import { renderTree } from '../render/tree.ts';
import type { DemoCheck, Seen } from './checks.ts';
import type { SeenGraph } from './graph.ts';
import type { Sales } from './sales.ts';

/** The demo's findings for a person, in the order in which the story goes. */
export function renderReport(seen: Seen, checks: readonly DemoCheck[], colour: Colour, width?: number): string {
  const wrong = checks.filter((check) => !check.ok);
  return [
    heading('Outcomes', `every invocation and the workflow ended in exactly one (${seen.cast.correlationId})`, colour),
    renderOutcomes(seen.outcomes, colour),
    heading('Why', 'the causal chain of the workflow’s outcome', colour),
    renderTree(seen.why, colour, width),
    heading('Policy, humans, deadlines', `three sales, and what became of them (${seen.cast.salesId})`, colour),
    renderSales(seen.sales, colour),
    heading('Graph', 'the same chain from Cypher, beside that from SQL', colour),
    seen.graph ? renderGraph(seen.graph, seen.why, colour) : colour.dim(WITHOUT_GRAPH),
    heading('Gaps', 'what an auditor should ask about', colour),
    renderGaps(seen.gaps, colour),
    heading('Refusals', 'what was tried, and what the caller saw', colour),
    ...seen.refusals.map(({ attempt, seen: problem }) =>
      [
        `${colour.dim('·')} ${attempt}`,
        indent(problem ? renderProblem(problem, colour) : colour.bad('nothing was refused')),
      ].join('\n'),
    ),
    '',
    wrong.length === 0
      ? colour.good(`${checks.length} of ${checks.length} expectations held`)
      : wrong.map((check) => `${colour.bad('not as expected:')} ${check.name}`).join('\n'),
  ].join('\n');
}

const WITHOUT_GRAPH = 'this ledger runs without a graph: npm install @ladybugdb/core adds the embedded one';

function renderGraph(graph: SeenGraph, why: Seen['why'], colour: Colour): string {
  const depths = new Map(graph.why.map((row) => [row.outcome_id, row.depth]));
  const nodes = [...why.nodes].sort((a, b) => a.depth - b.depth);
  const only = graph.why.filter((row) => !nodes.some((node) => node.outcome_id === row.outcome_id));
  const table = renderTable(
    nodes,
    [
      { title: 'SQL', value: (node) => `depth ${node.depth}` },
      {
        title: 'Cypher',
        value: (node) => (depths.has(node.outcome_id) ? `depth ${depths.get(node.outcome_id)}` : '–'),
      },
      { title: 'status', value: (node) => node.status, paint: (text) => paintStatus(colour, text) },
      { title: 'source', value: (node) => `${node.source_type} ${node.source_id}@${node.source_version}` },
      { title: 'outcome', value: (node) => node.outcome_id, paint: (text) => colour.dim(text) },
    ],
    colour,
  );
  const { ledger, graph: held } = graph;
  return [
    table,
    ...only.map((row) => colour.bad(`in Cypher alone: ${row.outcome_id}`)),
    `the worker was killed half-way (process ${graph.killed_pid}); process ${graph.next_pid} went on, and ${showDuration(graph.caught_up_ms)} after the last outcome`,
    `the graph held ${held.outcomes.length} of ${ledger.outcomes.length} outcomes and ${held.links.length} of ${ledger.links.length} links`,
  ].join('\n');
}

function renderSales({ blocked, escalated, answer, released, timedOut }: Sales, colour: Colour): string {
  const rows = [
    { outcome: blocked, note: 'no outcome but blocked is accepted' },
    { outcome: escalated, note: `${answer.resolution} by ${answer.resolved_by}: ${answer.reason}` },
    { outcome: released, note: 'caused by that answer' },
    ...(timedOut ? [{ outcome: timedOut, note: 'nobody said how it ended; the ledger did, at its deadline' }] : []),
  ];
  return renderTable(
    rows,
    [
      { title: 'status', value: ({ outcome }) => outcome.status, paint: (text) => paintStatus(colour, text) },
      { title: 'decision', value: ({ outcome }) => outcome.policy?.decision ?? '–' },
      { title: 'rule', value: ({ outcome }) => outcome.policy?.policy_rule_triggered ?? '–' },
      { title: 'outcome', value: ({ outcome }) => outcome.outcome_id, paint: (text) => colour.dim(text) },
      { title: 'and then', value: ({ note }) => note },
    ],
    colour,
  );
}

function renderOutcomes(outcomes: readonly OutcomeRecord[], colour: Colour): string {
  return renderTable(
    outcomes,
    [
      { title: 'status', value: (item) => item.status, paint: (text) => paintStatus(colour, text) },
      { title: 'source', value: (item) => `${item.source.type} ${item.source.id}@${item.source.version}` },
      { title: 'completed', value: (item) => showTime(item.timing.completed_at) },
      { title: 'took', value: (item) => showDuration(item.timing.duration_ms), align: 'right' },
      {
        title: 'errors',
        value: (item) => (item.errors ?? []).map((error) => `${error.code}: ${error.message}`).join('; '),
      },
    ],
    colour,
  );
}

function heading(title: string, what: string, colour: Colour): string {
  return `\n${colour.bold(title)}  ${colour.dim(what)}`;
}

function indent(text: string): string {
  return text.replace(/^/gm, '    ');
}

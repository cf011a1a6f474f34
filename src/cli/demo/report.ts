import type { OutcomeRecord } from '../../client/documents.ts';
import { type Colour, paintStatus } from '../render/colour.ts';
import { renderGaps } from '../render/gaps.ts';
import { renderProblem } from '../render/problem.ts';
import { renderTable } from '../render/table.ts';
import { showDuration, showTime } from '../render/time.ts';
import { renderTree } from '../render/tree.ts';
import type { DemoCheck, Seen } from './checks.ts';

/** The demo's findings for a person, in the order in which the story goes. */
export function renderReport(seen: Seen, checks: readonly DemoCheck[], colour: Colour, width?: number): string {
  const wrong = checks.filter((check) => !check.ok);
  return [
    heading('Outcomes', `every invocation and the workflow ended in exactly one (${seen.cast.correlationId})`, colour),
    renderOutcomes(seen.outcomes, colour),
    heading('Why', 'the causal chain of the workflow’s outcome', colour),
    renderTree(seen.why, colour, width),
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

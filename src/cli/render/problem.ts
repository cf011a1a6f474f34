import type { CliProblem } from '../failure.ts';
import { clean } from './clean.ts';
import type { Colour } from './colour.ts';

/** A refusal as the caller reads it: its code, what happened, one line per path, what to do. */
export function renderProblem(problem: CliProblem, colour: Colour): string {
  const status = problem.status === undefined ? '' : colour.dim(` (HTTP ${problem.status})`);
  const lines = [`${colour.bad(colour.bold(clean(problem.code)))}${status}  ${clean(problem.detail)}`];
  const violations = problem.violations ?? [];
  const pathWidth = Math.min(40, Math.max(0, ...violations.map((violation) => shownPath(violation.path).length)));
  const ruleWidth = Math.min(30, Math.max(0, ...violations.map((violation) => violation.rule.length)));
  for (const violation of violations) {
    const path = clean(shownPath(violation.path)).padEnd(pathWidth);
    lines.push(
      `  ${colour.bold(path)}  ${colour.dim(clean(violation.rule).padEnd(ruleWidth))}  ${clean(violation.message)}`,
    );
  }
  for (const [name, value] of Object.entries(problem)) {
    if (!ORDINARY.has(name) && value !== null && value !== undefined)
      lines.push(`  ${colour.dim(name)}  ${clean(value)}`);
  }
  if (problem.remedy) lines.push(`  ${colour.note('→')} ${clean(problem.remedy)}`);
  if (problem.request_id) lines.push(`  ${colour.dim(`request ${clean(problem.request_id)}`)}`);
  return lines.join('\n');
}

const ORDINARY = new Set([
  'type',
  'title',
  'status',
  'code',
  'detail',
  'violations',
  'remedy',
  'request_id',
  'exit_code',
]);

/** The empty JSON Pointer is the whole document, which reads better named. */
function shownPath(path: string): string {
  return path === '' ? '(document)' : path;
}

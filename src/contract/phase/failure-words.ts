/** Why a phase failed, for people (phase-outcomes-rules.md section 4, note 6). */
import type { PhaseReport } from '../phase-report/index.ts';
import type { ReadPhaseInput } from './input.ts';

export function failureWords(
  report: PhaseReport,
  { exit_code, stream_intact, timed_out }: ReadPhaseInput['observation'],
  name: string | undefined,
): string {
  const reportedFailure = report.state === 'failure';
  const unclean = timed_out
    ? 'ran past its time'
    : exit_code === null
      ? 'left no exit code'
      : exit_code !== 0
        ? `ended with exit code ${exit_code}`
        : null;
  const fault = unclean ?? (stream_intact ? null : 'broke off its output');
  const named = name === undefined ? 'the phase' : `phase "${name}"`;
  if (fault !== null) {
    const words = reportedFailure
      ? `; the agent reported a failure: ${quoted(report)}. A run that did not end cleanly counts as a failure of the platform, whatever it reported`
      : '';
    return `${named} ${fault}${words}`;
  }
  if (!reportedFailure) return `the report of ${named} could not be read: ${quoted(report)}`;
  return `${named} reported a failure: ${quoted(report)}`;
}

const LONGEST_QUOTE = 2_000;

/** The agent's words: its comments, else what shows how it spoke. */
function quoted({ stands }: PhaseReport): string {
  if (!stands) return 'nothing';
  const { state, comments, by_alias, text } = stands;
  const words =
    state === 'unreadable'
      ? text.replace(/\s+/g, ' ')
      : comments !== ''
        ? `${by_alias ? '("status": "failed") ' : ''}${comments}`
        : by_alias
          ? 'it wrote "status": "failed" where "success": false belongs, and no comments'
          : 'it gave no comments';
  const points = [...words];
  return points.length <= LONGEST_QUOTE ? words : `${points.slice(0, LONGEST_QUOTE).join('')}…`;
}

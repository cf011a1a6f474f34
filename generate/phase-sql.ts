/** What the database asks of a phase's verdict, from the tables of `src/contract/phase`. */
import { ARTIFACT_MAX_BYTES } from '../src/contract/limits.ts';
import { PHASE_OUTCOMES, VERDICTS, type VerdictFacts } from '../src/contract/phase/verdicts.ts';
import { REPORT_STATES, SIDE_EFFECTS } from '../src/contract/phase-report/words.ts';
import { expression } from './expression-sql.ts';
import { literal, textArray } from './sql-text.ts';

const word = (value: string | boolean | null): string =>
  value === null ? 'null' : typeof value === 'boolean' ? String(value) : literal(value);

const holds = (facts: Partial<VerdictFacts>): string =>
  Object.entries(facts)
    .map(([fact, value]) => (value === true ? fact : value === false ? `not ${fact}` : `${fact} = ${word(value)}`))
    .join(' and ') || 'true';

function verdict(): string {
  const rows = VERDICTS.map(
    ({ when, phase_status, failure_classification }) =>
      `when ${holds(when)} then array[${word(phase_status)}, ${word(failure_classification)}]`,
  );
  return `case ${rows.join(' ')} end`;
}

function outcome(): string {
  const rows = PHASE_OUTCOMES.map((row) => {
    const { status, code, recoverable, completion_reason } = row;
    const made = literal(JSON.stringify({ status, code, recoverable, completion_reason }));
    return `when phase_status = ${word(row.phase_status)} and failure_classification is not distinct from ${word(row.failure_classification)}${row.timed_out ? ' and timed_out' : ''} then jsonb ${made}`;
  });
  return `case ${rows.join(' ')} end`;
}

export function phaseFunctions(): string[] {
  return [
    expression(
      'phase_verdict',
      'cancelled boolean, interrupted boolean, timed_out boolean, exit_zero boolean, stream_intact boolean, report_state text, failure_reason text',
      'boolean, boolean, boolean, boolean, boolean, text, text',
      'text[]',
      'Run × report: the phase_status and failure_classification they make, before the artifact rule.',
      verdict(),
    ),
    expression(
      'phase_outcome',
      'phase_status text, failure_classification text, timed_out boolean',
      'text, text, boolean',
      'jsonb',
      'The outcome a concluded phase is recorded as: status, code of its first error, recoverable, completion_reason.',
      outcome(),
    ),
    expression(
      'report_state_rank',
      'state text',
      'text',
      'integer',
      'How strong a claim of this state is, from 1; null for another word.',
      `array_position(${textArray(REPORT_STATES)}, state)`,
    ),
    expression(
      'side_effects_rank',
      'word text',
      'text',
      'integer',
      'How severe a word for external writes is, from 1; null for another word.',
      `array_position(${textArray(SIDE_EFFECTS)}, word)`,
    ),
    expression(
      'artifact_max_bytes',
      '',
      '',
      'integer',
      'The most bytes of one artifact that stand in the table.',
      String(ARTIFACT_MAX_BYTES),
    ),
  ];
}

/** What the database asks of judgments before there are any: words, requirements, processes, gates. */
import { NOT_REQUIRED } from '../src/contract/judgment/derive.ts';
import { RAN_STATUSES } from '../src/contract/judgment/lifecycle.ts';
import { PROCESS_VERDICTS, type ProcessVerdict } from '../src/contract/judgment/process-evidence.ts';
import { FLAG_OF_GATE } from '../src/contract/judgment/table.ts';
import { ANSWERS, JUDGMENTS, LIFECYCLES, VERIFICATIONS } from '../src/contract/judgment/words.ts';
import { GATE_FLAG_ROLES } from '../src/contract/roles.ts';
import { expression } from './expression-sql.ts';
import { literal, textArray } from './sql-text.ts';

function holds({ when }: ProcessVerdict): string {
  const codes = when.exit_codes?.map((code) => (code === null ? 'exit_code is null' : `exit_code = ${code}`));
  const facts = (['started', 'timed_out', 'system_fault'] as const).flatMap((fact) =>
    when[fact] === undefined ? [] : [when[fact] ? fact : `not ${fact}`],
  );
  return (
    [...facts, ...(when.signalled ? ['signal is not null'] : []), ...(codes ? [`(${codes.join(' or ')})`] : [])].join(
      ' and ',
    ) || 'true'
  );
}

export function judgmentFunctions(): string[] {
  const rows = PROCESS_VERDICTS.map((row) => `when ${holds(row)} then ${literal(row.verification)}`);
  const flags = Object.entries(GATE_FLAG_ROLES).map(
    ([flag, roles]) => `when ${literal(flag)} then ledger_role = any (${textArray(roles)})`,
  );
  return [
    expression(
      'verification_required',
      'verify text',
      'text',
      'boolean',
      'Whether a verify asks for a verification; auto does.',
      `coalesce(btrim(verify, e'\\t\\n\\x0b\\f\\r ') <> all (${textArray(NOT_REQUIRED)}), false)`,
    ),
    expression(
      'process_verdict',
      'started boolean, timed_out boolean, system_fault boolean, signal text, exit_code bigint',
      'boolean, boolean, boolean, text, bigint',
      'text',
      "What a verification's process says, from how it ended alone.",
      `case ${rows.join(' ')} end`,
    ),
    expression(
      'gate_flag',
      'gate text',
      'text',
      'text',
      'The flag that opens a gate which does not open by itself; null where none does.',
      `case gate ${Object.entries(FLAG_OF_GATE)
        .map(([gate, flag]) => `when ${literal(gate)} then ${literal(flag)}`)
        .join(' ')} end`,
    ),
    expression(
      'standing_verification',
      'before text, next text',
      'text, text',
      'text',
      'What verification says after one more: a no stands until another verification answers.',
      `case when before = 'failed' and next <> all (${textArray(ANSWERS)}) then before else next end`,
    ),
    expression(
      'judged_word_known',
      'member text, word text',
      'text, text',
      'boolean',
      'Whether a word is one of those that a member of a judgment may have.',
      `case member when 'judgment' then word = any (${textArray(JUDGMENTS)}) when 'lifecycle' then word = any (${textArray(LIFECYCLES)}) else word = any (${textArray(VERIFICATIONS)}) end`,
    ),
    expression(
      'status_ran',
      'status text',
      'text',
      'boolean',
      'Whether an outcome of this status is of something that ran.',
      `coalesce(status = any (${textArray(RAN_STATUSES)}), false)`,
    ),
    expression(
      'may_pass_gate',
      'flag text, ledger_role text',
      'text, text',
      'boolean',
      'Whether a role may pass a gate with this flag.',
      `coalesce(case flag ${flags.join(' ')} end, false)`,
    ),
  ];
}

// Who may conclude, and what to do when the outcome that a conclusion makes is refused. The database holds who may, and
// for whom; here the role comes before a large body is read.
import { ROLE_MATRIX, type WriteTable } from '../../src/contract/roles.ts';
import { type Caller, Refusal } from '../../src/database/index.ts';

/** Throws `not_permitted` unless the caller's role observes runs. */
export function requireObserver({ role }: Caller): void {
  const row: Record<WriteTable, string> = ROLE_MATRIX[role as keyof typeof ROLE_MATRIX];
  if (row.phase_reports !== 'none') return;
  throw new Refusal('not_permitted', { detail: 'Only workers and orchestrators conclude invocations.' });
}

/**
 * A refusal of the outcome, with what to do about it for a caller who sent no outcome.
 *
 * @param ownResult whether the ledger made the result
 */
export function withRemedy(error: unknown, ownResult: boolean): unknown {
  if (!(error instanceof Refusal)) return error;
  const { code, violations, detail } = error;
  if (code === 'policy_mismatch') {
    const hint = 'Record it as `blocked` with `POST /outcomes`, or cancel it.';
    return new Refusal(code, { violations, detail, hint });
  }
  if (code !== 'result_schema_mismatch' || !ownResult) return error;
  return new Refusal(code, {
    violations,
    detail: 'The source’s definition has a schema that the result made from the report and the artifacts does not fit.',
    hint: 'Send a `result` that fits it.',
  });
}

// Who may conclude, and what to do when the outcome that a conclusion makes is refused. The database holds who may as well;
// here it comes before a large body is read and before anything is put into the object store.
import { ROLE_MATRIX, type WriteTable } from '../../src/contract/roles.ts';
import { type Caller, type InvocationStartRecord, Refusal } from '../../src/database/index.ts';

/** Throws `not_permitted` unless the caller's role observes runs. */
export function requireObserver({ role }: Caller): void {
  const row: Record<WriteTable, string> = ROLE_MATRIX[role as keyof typeof ROLE_MATRIX];
  if (row.phase_reports !== 'none') return;
  throw new Refusal('not_permitted', { detail: 'Only workers and orchestrators conclude invocations.' });
}

/** Throws `not_permitted` when the invocation is the caller's own. */
export function requireOther(caller: Caller, start: InvocationStartRecord): void {
  if (start.source.id !== caller.actorId) return;
  throw new Refusal('not_permitted', { detail: 'Nobody concludes an invocation of its own.' });
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

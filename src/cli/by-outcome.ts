import { findSubject } from './causes.ts';
import { EXIT } from './exit.ts';
import { Failure } from './failure.ts';
import { getJson, type Reader } from './http.ts';

/**
 * Reads what belongs to an outcome, named by its own id or by that of the invocation or execution that it ended: who
 * starts work holds only the latter.
 */
export async function getByOutcome<T>(reader: Reader, id: string, pathOf: (outcomeId: string) => string): Promise<T> {
  try {
    return await getJson<T>(reader, pathOf(id));
  } catch (error) {
    if (!(error instanceof Failure) || error.problem.code !== 'unknown_outcome') throw error;
    const subject = await findSubject(reader, id);
    if (!subject) throw error;
    const { kind, record } = subject;
    if (record.outcome_id !== null) return getJson<T>(reader, pathOf(record.outcome_id));
    throw new Failure(
      {
        code: 'no_outcome_yet',
        title: 'No outcome yet',
        detail: `${kind} ${id} of ${record.source.id} has no outcome yet: it is still ${stillIs(record.state)}`,
        remedy: `ask again when it has ended; its deadline is ${record.deadline_at}`,
      },
      EXIT.failed,
    );
  }
}

function stillIs(state: string): string {
  return state === 'running' ? 'running' : `open (${state})`;
}

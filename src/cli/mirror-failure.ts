import { MirrorRefused } from '../stack/workers/client.ts';
import { EXIT, type ExitCode } from './exit.ts';
import { Failure } from './failure.ts';

/** Codes under which something was begun and not brought to its end. */
const NOT_DONE = new Set(['query_timeout']);

/** What the parts of a mirror refuse, as the command shows it; any other error stays as it is. */
export async function mirrorFailure(error: unknown): Promise<unknown> {
  if (error instanceof MirrorRefused) {
    const { code, message: detail, remedy } = error;
    return new Failure({ code, detail, remedy: remedy ?? undefined }, exitOf(code), { cause: error });
  }
  const { knownProblem } = await import('../stack/workers/problem.ts');
  const known = knownProblem(error);
  if (!known) return error;
  const { code, title, detail, remedy } = known;
  return new Failure({ code, title, detail, remedy: remedy ?? undefined }, exitOf(code), { cause: error });
}

function exitOf(code: string): ExitCode {
  return NOT_DONE.has(code) ? EXIT.failed : EXIT.refused;
}

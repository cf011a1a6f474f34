import { EXIT } from '../exit.ts';
import { Failure } from '../failure.ts';
import type { Account } from './accounts.ts';
import { type DisabledActor, disabledActor, putOnList, takeOffList } from './disabled-actors.ts';
import { accountsOf, unknownActor } from './find-actor.ts';
import type { Actors } from './open-actors.ts';

const UNLISTED =
  'actor list --all shows them; tokens from elsewhere (token, a trusted issuer) may carry an id that has no account here: --unlisted disables it';

/**
 * Refuses an actor. The ledger's list comes first and alone is enough: the next call with a token that still lives is
 * refused. The ban keeps Auth from giving new ones. Run again, it completes what was interrupted.
 */
export async function disableActor(
  actors: Actors,
  { actorId, reason, unlisted }: { actorId: string; reason: string; unlisted: boolean },
): Promise<{ changed: boolean; row: DisabledActor; accounts: number }> {
  const { accounts, sql, tenantId } = actors;
  const before = await disabledActor(sql, tenantId, actorId);
  // In an emergency Auth may be away: then the list alone has to be written.
  const asked = unlisted ? undefined : await accountsOf(actors, actorId).catch(notAsked);
  if (asked?.length === 0 && !before) throw unknownActor(actors, actorId, UNLISTED);
  const changed = await putOnList(sql, tenantId, actorId, reason);
  const row = (await disabledActor(sql, tenantId, actorId)) as DisabledActor;
  try {
    const found = asked ?? (await accountsOf(actors, actorId));
    for (const account of found) await accounts.ban(account);
    return { changed, row, accounts: found.length };
  } catch (error) {
    throw halfDone(error, `the ledger refuses ${actorId} from now on, but it may still sign in`);
  }
}

/** Takes an actor back. Auth first: while any step is missing, the ledger still refuses it. */
export async function enableActor(actors: Actors, actorId: string): Promise<{ changed: boolean; accounts: number }> {
  const { accounts, sql, tenantId } = actors;
  const found: Account[] = await accountsOf(actors, actorId);
  if (found.length === 0 && !(await disabledActor(sql, tenantId, actorId))) throw unknownActor(actors, actorId);
  const banned = found.filter((account) => account.bannedUntil !== null);
  for (const account of banned) await accounts.unban(account);
  const listed = await takeOffList(sql, tenantId, actorId);
  return { changed: listed || banned.length > 0, accounts: found.length };
}

function notAsked(error: unknown): never {
  if (!(error instanceof Failure)) throw error;
  const remedy = 'in an emergency --unlisted writes the list of the ledger, which refuses living tokens, without it';
  throw new Failure({ ...error.problem, remedy }, error.exit, { cause: error });
}

function halfDone(error: unknown, what: string): unknown {
  if (!(error instanceof Failure)) return error;
  const { problem } = error;
  const remedy = 'run the same command again: it completes what is missing';
  return new Failure({ ...problem, detail: `${what}: ${problem.detail}`, remedy }, EXIT.failed, { cause: error });
}

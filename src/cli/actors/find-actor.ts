import { EXIT } from '../exit.ts';
import { Failure, usage } from '../failure.ts';
import type { Account } from './accounts.ts';
import type { Actors } from './open-actors.ts';

/** All accounts of one actor: mostly one, more when somebody made users by hand. */
export async function accountsOf({ accounts, tenantId }: Actors, actorId: string): Promise<Account[]> {
  return (await accounts.of(tenantId)).filter((account) => account.actorId === actorId);
}

/** The one account of an actor, or a refusal. */
export async function theAccountOf(actors: Actors, actorId: string): Promise<Account> {
  const [account, ...others] = await accountsOf(actors, actorId);
  if (!account) throw unknownActor(actors, actorId);
  if (others.length === 0) return account;
  const detail = `${others.length + 1} users are actor ${actorId} of tenant ${actors.tenantId}`;
  const emails = [account, ...others].map(({ email }) => email);
  throw new Failure(
    { code: 'actor_ambiguous', detail, emails, remedy: 'leave one of them in Supabase Auth' },
    EXIT.failed,
  );
}

export function unknownActor({ tenantId }: Actors, actorId: string, remedy?: string): Failure {
  const detail = `there is no actor ${actorId} in tenant ${tenantId}`;
  return new Failure(
    { code: 'unknown_actor', detail, remedy: remedy ?? 'outcome-ledger actor list --all' },
    EXIT.failed,
  );
}

const NOT_BLANK = /^(?=.*\S)[^\p{Cc}]*$/u;

/** An actor id as tokens carry it. */
export function checkedActorId(actorId: string): string {
  if (!NOT_BLANK.test(actorId) || [...actorId].length > 200) {
    throw usage('an actor id is 1 to 200 characters, not blank, without control characters');
  }
  if (actorId !== actorId.trim()) throw usage(`the actor id ${JSON.stringify(actorId)} begins or ends with a space`);
  return actorId;
}

export function checkedReason(reason: string): string {
  if (reason.trim() === '' || [...reason].length > 1000) {
    throw usage('--reason says why, in 1 to 1000 characters');
  }
  return reason;
}

export function checkedEmail(email: string | undefined): string | undefined {
  if (email === undefined || (/^[^\s@]+@[^\s@]+$/.test(email) && email.length <= 255)) return email;
  throw usage(`'${email}' is not an address`);
}

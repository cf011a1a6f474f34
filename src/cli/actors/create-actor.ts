import { EXIT } from '../exit.ts';
import { Failure } from '../failure.ts';
import type { Handed } from './accounts.ts';
import { disabledActor, oneAtATime } from './disabled-actors.ts';
import { accountsOf } from './find-actor.ts';
import type { Actors } from './open-actors.ts';

/** Makes an actor; one that stands is left as it is (exit 1). */
export async function createActor(
  actors: Actors,
  actor: { actorId: string; role: string; email: string | undefined },
): Promise<Handed> {
  const { accounts, sql, tenantId } = actors;
  const { actorId } = actor;
  const disabled = await disabledActor(sql, tenantId, actorId);
  if (disabled) {
    const detail = `actor ${actorId} is disabled since ${disabled.disabled_at}: its tokens would be refused`;
    throw new Failure(
      { code: 'actor_disabled', detail, remedy: `outcome-ledger actor enable ${actorId}` },
      EXIT.failed,
    );
  }
  return oneAtATime(sql, async () => {
    if ((await accountsOf(actors, actorId)).length > 0) {
      const detail = `actor ${actorId} of tenant ${tenantId} exists already`;
      throw new Failure(
        { code: 'actor_exists', detail, remedy: `new keys: outcome-ledger actor rotate ${actorId}` },
        EXIT.failed,
      );
    }
    return accounts.create({ ...actor, tenantId });
  });
}

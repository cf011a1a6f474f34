import type { Handed } from '../actors/accounts.ts';
import type { ActorState, ListedActor } from '../actors/list-actors.ts';
import type { Colour } from './colour.ts';
import { renderFields, renderTable } from './table.ts';
import { showTime } from './time.ts';

const PAINT = { active: 'good', banned: 'warn', disabled: 'bad' } as const satisfies Record<ActorState, keyof Colour>;

/** Actors as a table, or one line that says there are none. */
export function renderActors(actors: readonly ListedActor[], all: boolean, colour: Colour): string {
  if (actors.length === 0) return colour.dim(all ? 'no actors' : 'no actors that may act; --all shows the disabled');
  return renderTable(
    actors,
    [
      { title: 'actor', value: (actor) => actor.actor_id },
      { title: 'role', value: (actor) => actor.role ?? '–' },
      { title: 'state', value: (actor) => actor.state, paint: (text, actor) => colour[PAINT[actor.state]](text) },
      { title: 'email', value: (actor) => actor.email ?? '–' },
      { title: 'last sign-in', value: (actor) => (actor.last_sign_in_at ? showTime(actor.last_sign_in_at) : '–') },
      ...(all
        ? [
            {
              title: 'disabled',
              value: (actor: ListedActor) => (actor.disabled_at ? showTime(actor.disabled_at) : ''),
            },
            { title: 'reason', value: (actor: ListedActor) => actor.reason ?? '' },
          ]
        : []),
    ],
    colour,
  );
}

/** What is handed over once, and what to do with it. */
export function renderHanded(about: Record<string, unknown>, { members, advice }: Handed, colour: Colour): string {
  return `${renderFields(Object.entries({ ...about, ...members }), colour)}\n${colour.dim(advice)}`;
}

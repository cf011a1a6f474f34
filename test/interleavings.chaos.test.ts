// start, decide, finish, sweep, cancel, resolve in two sessions: the second takes its step while the first's transaction is
// open, which then commits or rolls back. Whatever the order: one outcome, one event, a stable code for who came second, its
// envelope kept, no deadlock, and no word of the database's own.
import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutLocks } from './support/crowd.ts';
import { useDatabase } from './support/database.ts';
import { type Interleaving, type Kind, openTheatre, type Theatre } from './support/interleavings.ts';
import { type Beside, expectedBeside, isRefused, SCENES, STEPS, type Step } from './support/interleavings-model.ts';
import { PAIRS } from './support/interleavings-table.ts';

const database = useDatabase();
let theatre: Theatre;
beforeAll(async () => {
  theatre = await openTheatre(database, await database.tenant());
});
afterAll(() => theatre.end());

const ENDINGS = ['commit', 'rollback'] as const;
const KINDS: Kind[] = ['invocation', 'execution'];
const nameOf = ({ kind, scene, first, second, ending, third }: Interleaving) =>
  `${scene} ${kind}: ${first.join(', ')} beside ${second}, ${ending}${third ? `, then ${third}` : ''}`;

/** A first step that is refused ends its transaction itself: then one ending is enough. */
const endingsOf = (interleaving: Omit<Interleaving, 'ending'>): Interleaving[] => {
  const { scene, first, second } = interleaving;
  const refused = expectedBeside(scene, first, second, 'commit').first.some(isRefused);
  return (refused ? ENDINGS.slice(0, 1) : ENDINGS).map((ending) => ({ ...interleaving, ending }));
};

/** Plays all of them; what came of each, by its name, against what the model says. */
async function playAll(interleavings: Interleaving[]): Promise<void> {
  const played: Record<string, Beside> = {};
  for (const one of interleavings) played[nameOf(one)] = await theatre.play(one);
  const expected = interleavings.map((one) => [
    nameOf(one),
    expectedBeside(one.scene, one.first, one.second, one.ending, one.third),
  ]);
  expect(played).toEqual(Object.fromEntries(expected));
}

it('the model says what the table says', () => {
  for (const scene of SCENES)
    for (const first of STEPS)
      for (const second of STEPS) {
        const [committed, undone] = ENDINGS.map((ending) => expectedBeside(scene, [first], second, ending));
        expect(
          `${committed?.first[0]}; ${committed?.waits ? 'waits' : 'ends'}: ${committed?.second} | ${undone?.second}`,
          `${scene}: ${first} beside ${second}`,
        ).toBe(PAIRS[scene][first][second]);
      }
});

describe.each(SCENES)('with %s before, every step beside every other', (scene) => {
  it.each(KINDS)('about an %s', async (kind) => {
    await playAll(
      STEPS.flatMap((first) => STEPS.flatMap((second) => endingsOf({ kind, scene, first: [first], second }))),
    );
  });
});

/** Every order of three different steps. */
const TRIPLES: [Step, Step, Step][] = STEPS.flatMap((one) =>
  STEPS.filter((two) => two !== one).flatMap((two) =>
    STEPS.filter((three) => three !== one && three !== two).map((three): [Step, Step, Step] => [one, two, three]),
  ),
);
// Turn by turn about an invocation and an execution, which the pairs show to be alike.
const kindOf = (n: number): Kind => KINDS[n % 2] as Kind;

describe.each(['open', 'asked'] as const)('with %s before, every three in every order', (scene) => {
  it('one, beside it two, after both three', async () => {
    await playAll(
      TRIPLES.flatMap(([one, second, third], n) => endingsOf({ kind: kindOf(n), scene, first: [one], second, third })),
    );
  });

  it('one and two, beside both three', async () => {
    await playAll(
      TRIPLES.flatMap(([one, two, second], n) => endingsOf({ kind: kindOf(n + 1), scene, first: [one, two], second })),
    );
  });
});

it('without the locks of a writer, of the same pairs some end otherwise', async () => {
  const pairs = STEPS.flatMap((first) =>
    STEPS.flatMap((second) => endingsOf({ kind: 'invocation', scene: 'open', first: [first], second })),
  );
  const otherwise = await withoutLocks(database, async () => {
    const names: string[] = [];
    for (const one of pairs) {
      const expected = expectedBeside(one.scene, one.first, one.second, one.ending);
      const played = await theatre.play(one).catch((error: Error) => error.message);
      if (!isDeepStrictEqual(played, expected)) names.push(nameOf(one));
    }
    return names;
  });
  for (const pair of ['decide beside finish', 'finish beside finish', 'finish beside cancel', 'cancel beside finish'])
    expect(otherwise).toContain(`open invocation: ${pair}, commit`);
});

it('leaves no id that no outcome has', async () => {
  const [orphans] = await database.sql`
    select count(*)::int as n from public.outcome_ids i
     where not exists (select from ledger_internal.outcomes o where o.outcome_id = i.outcome_id)`;
  expect(orphans).toEqual({ n: 0 });
});

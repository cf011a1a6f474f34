import type { TestDatabase } from './database.ts';
import { useRacers } from './racers.ts';
import { describeBatches } from './races-batches.ts';
import { describeDuplicates } from './races-duplicates.ts';
import { describeMeetings } from './races-links.ts';

export interface Rounds {
  duplicates: number;
  links: number;
  decisions: number;
  batches: number;
  closings: number;
  starts: number;
}

/** Races at random, `rounds` of each; the same in `npm test`, where there are two, and in the chaos tier. */
export function describeRaces(database: TestDatabase, rounds: Rounds, timeout = 60_000): void {
  const racers = useRacers(database);
  describeDuplicates(database, racers, rounds, timeout);
  describeMeetings(database, racers, rounds, timeout);
  describeBatches(database, racers, rounds, timeout);
}

// The races of races.db and races.http, in their full number.
import { useDatabase } from './support/database.ts';
import { describeRaces } from './support/races.ts';
import { describeHttpRaces } from './support/races-http.ts';
import { useStack } from './support/stack.ts';

const LONG = 900_000;
describeRaces(
  useDatabase(),
  { duplicates: 200, links: 500, decisions: 200, batches: 10, closings: 200, starts: 20 },
  LONG,
);
describeHttpRaces(useStack(), { outcomes: 100, starts: 20 }, LONG);

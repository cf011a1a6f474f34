// The same request by many at once, over HTTP: two rounds here, the full number in races.chaos.
import { describeHttpRaces } from './support/races-http.ts';
import { useStack } from './support/stack.ts';

describeHttpRaces(useStack(), { outcomes: 2, starts: 2 });

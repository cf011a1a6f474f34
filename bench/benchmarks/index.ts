import { breakdown } from './breakdown.ts';
import { http } from './http.ts';
import { peers } from './peers.ts';
import { policy } from './policy.ts';
import { record } from './record.ts';
import { why } from './why.ts';

/** Every benchmark by its name; each answers its table as markdown. */
export const BENCHMARKS: Readonly<Record<string, () => Promise<string>>> = {
  record,
  breakdown,
  http,
  peers,
  why,
  policy,
};

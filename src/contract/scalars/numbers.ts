import { number } from './kind.ts';

/** A confidence, a risk, a groundedness. */
export const score = number({ rule: 'score', base: 'number', expected: 'a number from 0 to 1', min: 0, max: 1 });

export const count = number({
  rule: 'count',
  base: 'integer',
  expected: 'a whole number of at least 0',
  min: 0,
  max: Number.MAX_SAFE_INTEGER,
});

export const positive = number({
  rule: 'positive',
  base: 'integer',
  expected: 'a whole number of at least 1, at most 2147483647',
  min: 1,
  max: 2_147_483_647,
});

export const THIRTY_DAYS_MS = 30 * 24 * 60 * 60 * 1000;

/** How long a replaced secret stays valid, in milliseconds. */
export const overlapMs = number({
  rule: 'overlap_ms',
  base: 'integer',
  expected: 'a whole number of milliseconds from 0 to 7 days',
  min: 0,
  max: 7 * 24 * 60 * 60 * 1000,
});

/** A deadline from now, in milliseconds. */
export const deadlineMs = number({
  rule: 'deadline_ms',
  base: 'integer',
  expected: 'a whole number of milliseconds from 1 to 30 days',
  min: 1,
  max: THIRTY_DAYS_MS,
});

/** What a process left: from -2147483648, because some platforms give signed words. */
export const exitCode = number({
  rule: 'exit_code',
  base: 'integer',
  expected: 'a whole number of 32 bits',
  min: -2_147_483_648,
  max: 4_294_967_295,
});

import { text } from './kind.ts';

// The calendar stands in the expression itself, so that neither JavaScript's nor the database's leniency is ever asked.
const YEAR = '(19[7-9][0-9]|[2-9][0-9]{3})';
const LEAP_YEAR = '(19(7[26]|8[048]|9[26])|[2-9][0-9](0[48]|[2468][048]|[13579][26])|([2468][048]|[3579][26])00)';
const DATE =
  `(${YEAR}-((0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8]))` +
  `|${LEAP_YEAR}-02-29)`;
const CLOCK = 'T([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\\.[0-9]{1,9})?';

export const TIME_PATTERN = `^${DATE}${CLOCK}(Z|\\+00:00)$`;

/** RFC 3339 in UTC with seconds, up to 9 decimals, a real date of the years 1970 to 9999 (design section 5). */
export const time = text({
  rule: 'time',
  expected: 'an RFC 3339 time in UTC with seconds, such as 2026-05-20T10:00:00.042Z',
  pattern: TIME_PATTERN,
  selfTyped: true,
});

/** A key whose text order (code units) is the order of instants: no zone, always nine decimals. */
export function timeOrderKey(value: string): string {
  const fraction = /\.(\d+)/.exec(value)?.[1] ?? '';
  return `${value.slice(0, 19)}.${fraction.padEnd(9, '0')}`;
}

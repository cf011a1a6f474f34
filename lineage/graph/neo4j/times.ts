/** The driver's temporal values, as far as they have these parts; numbers or bigints. */
interface Parts {
  year?: unknown;
  month?: unknown;
  day?: unknown;
  hour?: unknown;
  minute?: unknown;
  second?: unknown;
  nanosecond?: unknown;
  timeZoneOffsetSeconds?: unknown;
  timeZoneId?: unknown;
}

/**
 * A date and time with a zone as RFC 3339 in UTC, with microseconds, or with nanoseconds where there are any. From the parts
 * alone: neither the process's time zone nor a JavaScript `Date`'s milliseconds come into it.
 *
 * @returns undefined for what is no such value
 */
export function timeText(value: unknown): string | undefined {
  const parts = value as Parts;
  if (parts?.year === undefined || parts.hour === undefined || parts.timeZoneOffsetSeconds == null) return undefined;
  const seconds = secondsOf(parts) - Number(parts.timeZoneOffsetSeconds);
  return `${dateTimeOf(seconds)}${fraction(parts.nanosecond)}Z`;
}

/** A time without a date or without a zone, as ISO 8601 writes it; undefined for what is none. */
export function partialTimeText(value: unknown): string | undefined {
  const parts = value as Parts;
  if (parts?.year !== undefined) {
    const text = dateTimeOf(secondsOf(parts));
    return parts.hour === undefined ? text.slice(0, text.indexOf('T')) : `${text}${fraction(parts.nanosecond)}`;
  }
  if (parts?.hour === undefined) return undefined;
  const text = dateTimeOf(secondsOf({ ...parts, year: 1970, month: 1, day: 1 })).slice(11);
  return `${text}${fraction(parts.nanosecond)}${offset(parts.timeZoneOffsetSeconds)}`;
}

/** Seconds since 1970 of the parts, read as UTC. */
function secondsOf({ year, month, day, hour = 0, minute = 0, second = 0 }: Parts): number {
  const date = new Date(0);
  // Not Date.UTC, which takes the years 0 to 99 for those of the last century.
  date.setUTCFullYear(Number(year), Number(month) - 1, Number(day));
  date.setUTCHours(Number(hour), Number(minute), Number(second));
  return date.getTime() / 1000;
}

const dateTimeOf = (seconds: number): string => new Date(seconds * 1000).toISOString().replace(/\.000Z$/, '');

function fraction(nanosecond: unknown): string {
  const digits = String(nanosecond ?? 0).padStart(9, '0');
  return `.${digits.endsWith('000') ? digits.slice(0, 6) : digits}`;
}

function offset(seconds: unknown): string {
  if (seconds === undefined || seconds === null) return '';
  const minutes = Math.round(Number(seconds) / 60);
  const two = (value: number) => String(Math.floor(Math.abs(value))).padStart(2, '0');
  return minutes === 0 ? 'Z' : `${minutes < 0 ? '-' : '+'}${two(minutes / 60)}:${two(Math.abs(minutes) % 60)}`;
}

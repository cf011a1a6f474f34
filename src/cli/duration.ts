import { usage } from './failure.ts';

const SECONDS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 };
const LONGEST_SECONDS = 365 * 86_400;

/** `90s`, `15m`, `1h`, `7d` as seconds; at least one second, at most a year. */
export function parseDuration(text: string): number {
  const match = /^([1-9]\d{0,8})(s|m|h|d)$/.exec(text.trim());
  const seconds = match ? Number(match[1]) * (SECONDS[match[2] ?? ''] ?? Number.NaN) : Number.NaN;
  if (!(seconds >= 1 && seconds <= LONGEST_SECONDS)) {
    throw usage(`'${text}' is not a duration`, 'write a whole number and a unit: 90s, 15m, 1h or 7d (at most 365d)');
  }
  return seconds;
}

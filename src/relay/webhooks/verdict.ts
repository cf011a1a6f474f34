import { cut } from '../http/answer.ts';
import type { Answered, Unanswered } from '../http/sender.ts';
import type { Result } from '../ledger.ts';
import type { RetrySchedule } from '../types.ts';

/** Of `last_error` so much is kept. */
const LONGEST_ERROR = 400;

/** What an attempt means: for its event, and for the receiver as a whole. */
export interface Verdict {
  result: Result;
  /** Stable; null after a delivery. Counted by metrics. */
  code: string | null;
  /** The receiver asked to be left alone for so long. */
  pauseMs: number;
}

/** @param attempts failed attempts before this one */
export function verdictOn(
  eventId: string,
  attempts: number,
  came: Answered | Unanswered,
  { schedule, random }: { schedule: RetrySchedule; random: () => number },
): Verdict {
  if (came.answered && came.status >= 200 && came.status < 300) {
    const result: Result = { event_id: eventId, result: 'delivered', status: came.status, error: null, retry_in_ms: 0 };
    return { result, code: null, pauseMs: 0 };
  }
  const { code, message } = came.answered ? refusalOf(came) : came.fault;
  const status = came.answered ? came.status : null;
  const failure = { event_id: eventId, status, error: cut(`${code}: ${message}`, LONGEST_ERROR) };
  if (status === 410) return { result: { ...failure, result: 'gone', retry_in_ms: 0 }, code, pauseMs: 0 };
  const asked = came.answered && (status === 429 || status === 503) ? (came.retryAfterMs ?? 0) : 0;
  const pauseMs = Math.min(asked, schedule.retryAfterCapMs);
  const given = attempts + 1 >= schedule.maxAttempts;
  const retryInMs = given ? 0 : Math.ceil(Math.max(pauseMs, waitAfter(attempts + 1, schedule, random)));
  return { result: { ...failure, result: given ? 'dead' : 'failed', retry_in_ms: retryInMs }, code, pauseMs };
}

/** Full jitter: anywhere between now and the whole wait, so that what failed together does not come back together. */
function waitAfter(attempt: number, { baseMs, capMs }: RetrySchedule, random: () => number): number {
  return Math.min(capMs, baseMs * 2 ** Math.min(attempt - 1, 40)) * random();
}

function refusalOf({ status, location, words }: Answered): { code: string; message: string } {
  if (status === 410) return { code: 'gone', message: 'answered 410: the receiver wants nothing more' };
  if (status >= 300 && status < 400) {
    const where = location === null ? '' : ` to ${location}`;
    return { code: 'redirected', message: `answered ${status}${where}; redirects are not followed` };
  }
  return { code: 'http_status', message: `answered ${status}${words === '' ? '' : `: ${words}`}` };
}

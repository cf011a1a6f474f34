import { describe, expect, it } from 'vitest';
import type { Answered, Unanswered } from '../http/sender.ts';
import { RETRIES } from '../pace.ts';
import { verdictOn } from './verdict.ts';

const answer = (status: number, over: Partial<Answered> = {}): Answered => ({
  answered: true,
  status,
  retryAfterMs: null,
  location: null,
  body: Buffer.alloc(0),
  words: '',
  ...over,
});
const silence: Unanswered = { answered: false, fault: { code: 'timeout', message: 'no answer within 10000 ms' } };
const judge = (attempts: number, came: Answered | Unanswered, random = 1) =>
  verdictOn('e', attempts, came, { schedule: RETRIES, random: () => random });

describe('an attempt', () => {
  it.each([200, 201, 202, 204, 299])('answered %i is a delivery', (status) => {
    expect(judge(5, answer(status))).toMatchObject({ code: null, result: { result: 'delivered' } });
  });

  it.each([
    [301, 'redirected'],
    [307, 'redirected'],
    [400, 'http_status'],
    [401, 'http_status'],
    [404, 'http_status'],
    [413, 'http_status'],
    [500, 'http_status'],
    [0, 'http_status'],
    [199, 'http_status'],
  ])('answered %i is a failure: %s', (status, code) => {
    expect(judge(0, answer(status))).toMatchObject({ code, pauseMs: 0, result: { result: 'failed', status } });
  });

  it('tells where a redirect led, and what was said', () => {
    const led = judge(0, answer(302, { location: 'http://169.254.169.254/' })).result.error;
    expect(led).toBe('redirected: answered 302 to http://169.254.169.254/; redirects are not followed');
    expect(judge(0, answer(400, { words: 'no such route' })).result.error).toBe(
      'http_status: answered 400: no such route',
    );
    expect(judge(0, answer(400, { words: 'x'.repeat(9999) })).result.error).toHaveLength(400);
    expect(judge(0, silence)).toMatchObject({
      code: 'timeout',
      result: { status: null, error: 'timeout: no answer within 10000 ms' },
    });
  });

  it('answered 410 ends the webhook, however often it was tried', () => {
    for (const attempts of [0, 100]) expect(judge(attempts, answer(410)).result.result).toBe('gone');
  });

  it('honours Retry-After of 429 and 503, up to a cap, and of nothing else', () => {
    expect(judge(0, answer(429, { retryAfterMs: 60_000 }), 0)).toMatchObject({
      pauseMs: 60_000,
      result: { retry_in_ms: 60_000 },
    });
    expect(judge(0, answer(503, { retryAfterMs: 10 ** 9 }), 0)).toMatchObject({ pauseMs: 3_600_000 });
    expect(judge(0, answer(429), 0)).toMatchObject({ pauseMs: 0, result: { retry_in_ms: 0 } });
    expect(judge(0, answer(500, { retryAfterMs: 60_000 }), 0)).toMatchObject({
      pauseMs: 0,
      result: { retry_in_ms: 0 },
    });
  });

  it('is followed by a random wait below a bound that doubles and is capped', () => {
    const waits = (random: number) => [0, 1, 2, 10, 13, 18].map((n) => judge(n, silence, random).result.retry_in_ms);
    expect(waits(1)).toEqual([5_000, 10_000, 20_000, 5_120_000, 21_600_000, 21_600_000]);
    expect(waits(0)).toEqual([0, 0, 0, 0, 0, 0]);
  });

  it('is given up after about a day', () => {
    expect(judge(18, silence).result.result).toBe('failed');
    expect(judge(19, silence).result).toMatchObject({ result: 'dead', retry_in_ms: 0 });
    const most = Array.from({ length: 19 }, (_, n) => judge(n, silence, 1).result.retry_in_ms).reduce((a, b) => a + b);
    // Half of it in the mean.
    expect(most / 2 / 3_600_000).toBeGreaterThan(22);
    expect(most / 2 / 3_600_000).toBeLessThan(26);
  });
});

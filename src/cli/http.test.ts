import { expect, test } from 'vitest';
import { exitOfStatus } from './failure.ts';
import { functionsUrlOf } from './http.ts';

test.each(['http://h:1', 'http://h:1/', 'http://h:1/functions/v1', 'http://h:1/functions/v1/'])(
  '%s names the same ledger',
  (url) => {
    expect(functionsUrlOf(url)).toBe('http://h:1/functions/v1');
  },
);

test('not found and conflicts are 1, every other refusal is 2', () => {
  expect([404, 409].map(exitOfStatus)).toEqual([1, 1]);
  expect([400, 401, 403, 413, 422, 500, 503].map(exitOfStatus)).toEqual([2, 2, 2, 2, 2, 2, 2]);
});

import { expect, test } from 'vitest';
import { LARGE_BODY_MAX_BYTES } from '../../contract/limits.ts';
import { Failure } from '../failure.ts';
import { requireSendable } from './sendable.ts';

const body = (message: number, file: number) => ({ messages: ['m'.repeat(message)], files: ['f'.repeat(file)] });
const around = Buffer.byteLength(JSON.stringify(body(0, 0)));

test.each([
  ['/messages', 10_000_000, LARGE_BODY_MAX_BYTES - 10_000_000 - around],
  ['/files', 5_000_000, LARGE_BODY_MAX_BYTES - 5_000_000 - around],
])('what is too much for one request is told: %s', (path, message, file) => {
  expect(() => requireSendable(body(message, file))).not.toThrow();
  try {
    requireSendable(body(message, file + 1));
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(Failure);
    const { problem, exit } = error as Failure;
    expect([problem.code, problem['path'], exit]).toEqual(['payload_too_large', path, 2]);
    expect(problem.detail).toContain('nothing was sent');
  }
});

import { expect, test } from 'vitest';
import { LedgerConflictError } from './errors.ts';
import { startHeartbeat } from './heartbeat.ts';

const after = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('beats until stopped, one at a time, and tells of faults without passing them on', async () => {
  let beats = 0;
  let atOnce = 0;
  let most = 0;
  const faults: unknown[] = [];
  const heartbeat = startHeartbeat(
    async () => {
      beats += 1;
      atOnce += 1;
      most = Math.max(most, atOnce);
      await after(12);
      atOnce -= 1;
      if (beats === 2) throw new Error('lost');
    },
    {
      everyMs: 3,
      onFault: (error) => {
        faults.push(error);
        throw new Error('a listener at fault');
      },
    },
  );
  await expect.poll(() => beats, { timeout: 10_000 }).toBeGreaterThan(3);
  heartbeat.stop();
  await after(30);
  const stoppedAt = beats;
  await after(30);
  expect(beats).toBe(stoppedAt);
  expect(most).toBe(1);
  expect(faults).toHaveLength(1);
});

test('ends when the invocation is closed', async () => {
  let beats = 0;
  startHeartbeat(
    async () => {
      beats += 1;
      throw new LedgerConflictError('closed', { code: 'invocation_closed', status: 409 });
    },
    { everyMs: 2 },
  );
  await after(40);
  expect(beats).toBe(1);
});

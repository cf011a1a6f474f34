import { getEventListeners } from 'node:events';
import { expect, it } from 'vitest';
import { pause, Wake } from './pause.ts';

it('ends at its time, at the signal, or at once where that has come', async () => {
  const stop = new AbortController();
  await pause(1, stop.signal);
  const long = pause(60_000, stop.signal);
  stop.abort();
  await long;
  await pause(60_000, stop.signal);
});

it('is woken by a ring, also by one that came before, and by the signal', async () => {
  const stop = new AbortController();
  const wake = new Wake();
  wake.ring();
  await wake.wait(60_000, stop.signal);
  const waiting = wake.wait(60_000, stop.signal);
  wake.ring();
  await waiting;
  const last = wake.wait(60_000, stop.signal);
  stop.abort();
  await last;
  await wake.wait(60_000, stop.signal);
});

it('leaves nothing behind on a signal that lives as long as the process', async () => {
  const stop = new AbortController();
  const wake = new Wake();
  for (let n = 0; n < 200; n += 1) {
    wake.ring();
    await wake.wait(60_000, stop.signal);
    await wake.wait(0.01, stop.signal);
  }
  expect(getEventListeners(stop.signal, 'abort')).toHaveLength(0);
  // What `AbortSignal.any` would hang on it, and Node 20 never take off.
  const dependants = Object.getOwnPropertySymbols(stop.signal).find(
    ({ description }) => description === 'kDependantSignals',
  );
  const hung = dependants && (stop.signal as unknown as Record<symbol, { size: number } | undefined>)[dependants];
  expect(hung ? hung.size : 0).toBe(0);
});

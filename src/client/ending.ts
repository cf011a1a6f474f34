import { pause } from './timers.ts';

/** How a function ended: it gave a value, threw, or was canceled (and may still be running). */
export type Ending =
  | { kind: 'returned'; value: unknown }
  | { kind: 'threw'; thrown: unknown }
  | { kind: 'canceled'; thrown: unknown };

/**
 * Runs `work` to its end, or to an abort.
 *
 * An abort that comes before the function has ended decides: the function gets `graceMs` to clean up, then the run is
 * canceled, whatever it gives or throws. The one exception is a value that `isDecision` accepts: a verdict made in
 * full knowledge of the abort. A function that ended first is not touched by a later abort. What still runs after the
 * grace runs on unobserved, since nothing in JavaScript can stop it.
 */
export async function runToEnd(
  work: () => unknown,
  signal: AbortSignal,
  graceMs: number,
  isDecision: (value: unknown) => boolean,
): Promise<Ending> {
  // Aborted while the start row was being written: the work must not begin.
  if (signal.aborted) return { kind: 'canceled', thrown: signal.reason };
  const settled = settle(work, signal);
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<'aborted'>((resolve) => {
    onAbort = () => resolve('aborted');
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  const grace = new AbortController();
  try {
    let first = await Promise.race([settled, aborted]);
    if (first === 'aborted') first = await Promise.race([settled, lapse(graceMs, grace.signal)]);
    if (first === 'aborted') return { kind: 'canceled', thrown: signal.reason };
    const { ending, abortedBefore } = first;
    if (!abortedBefore) return ending;
    if (ending.kind === 'returned') {
      return isDecision(ending.value) ? ending : { kind: 'canceled', thrown: signal.reason };
    }
    return { kind: 'canceled', thrown: ending.thrown };
  } finally {
    if (onAbort) signal.removeEventListener('abort', onAbort);
    grace.abort();
  }
}

interface Settled {
  ending: Ending;
  abortedBefore: boolean;
}

async function settle(work: () => unknown, signal: AbortSignal): Promise<Settled> {
  let ending: Ending;
  try {
    ending = { kind: 'returned', value: await work() };
  } catch (thrown) {
    ending = { kind: 'threw', thrown };
  }
  return { ending, abortedBefore: signal.aborted };
}

function lapse(ms: number, end: AbortSignal): Promise<'aborted'> {
  return pause(ms, end).then(
    () => 'aborted' as const,
    () => 'aborted' as const,
  );
}

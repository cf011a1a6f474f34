import { setTimeout as sleep } from 'node:timers/promises';

/** Milliseconds between two looks, and how long an answer may take. */
const EVERY_MS = 5_000;
const ANSWERS_WITHIN_MS = 10_000;
/** So many looks in a row without any answer: a machine that was asleep, or is busy, comes back before. */
const MOST_SILENT = 4;

interface Living {
  url: string;
  exited: Promise<unknown>;
  /** With SIGKILL. */
  kill(): void;
}

/**
 * Kills a process that lives on without answering, so that whoever waits for its end starts another: native code that hangs while
 * it gives up its files ends by nothing else. What it answers does not matter, only that it does.
 *
 * @param everyMs tests shorten it
 */
export async function killWhenSilent({ url, exited, kill }: Living, everyMs = EVERY_MS): Promise<void> {
  const over = new AbortController();
  void exited.then(() => over.abort());
  for (let silent = 0; !over.signal.aborted; ) {
    await sleep(everyMs, undefined, { signal: over.signal, ref: false }).catch(() => undefined);
    if (over.signal.aborted) return;
    silent = (await answers(url, over.signal)) ? 0 : silent + 1;
    if (silent < MOST_SILENT || over.signal.aborted) continue;
    kill();
    return;
  }
}

async function answers(url: string, over: AbortSignal): Promise<boolean> {
  try {
    const signal = AbortSignal.any([over, AbortSignal.timeout(ANSWERS_WITHIN_MS)]);
    const response = await fetch(`${url}/healthz`, { signal });
    await response.body?.cancel();
    return true;
  } catch {
    return false;
  }
}

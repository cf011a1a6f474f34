import { setTimeout as sleep } from 'node:timers/promises';
import type { StateReason, WorkerState } from '../state.ts';
import type { WorkerChild } from './child.ts';

const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 30_000;
/** A process that ran this long was well: the next death is a first one again. */
const WELL_AFTER_MS = 60_000;

export type KeepingWorkers = {
  name: WorkerState['name'];
  start(): Promise<WorkerChild>;
  /** What a death means, from how it came and what the process said last; undefined where it says nothing. */
  explain?: (how: string, lastWords: string) => StateReason | undefined;
  /** Where it is told what a worker said. */
  logFile: string;
  /** Told of each death and each restart. */
  onNotice: (text: string) => void;
  /** Told of each new state, before `onNotice`. */
  onState: (state: WorkerState) => Promise<void>;
};

export interface KeptWorkers {
  /** Restarts no more, and stops what runs. */
  stop(): Promise<void>;
}

/**
 * Starts workers in a process of their own and starts it again whenever it dies, at once and then ever more slowly. The
 * ledger itself needs no worker, so it is never given up: what ails a worker may pass.
 *
 * @throws WorkerNotStarted when the first start fails
 */
export async function keepWorkers(keeping: KeepingWorkers): Promise<KeptWorkers> {
  const { name, start, explain = () => undefined, logFile, onNotice, onState } = keeping;
  const released = new AbortController();
  const remedy = `read ${logFile}; it is started again ever more slowly`;
  // A state that cannot be written down, on a full disk, is no reason to watch no more.
  const told = (state: WorkerState) =>
    onState(state).catch((error: unknown) =>
      onNotice(`the state of the ${name} worker cannot be kept: ${String(error)}`),
    );
  let child = await start();
  await onState({ name, state: 'running', url: child.url, pid: child.pid });

  async function watch(): Promise<void> {
    for (let deaths = 0; ; ) {
      const startedAt = Date.now();
      const how = await child.exited;
      if (released.signal.aborted) return;
      deaths = child.overran || Date.now() - startedAt > WELL_AFTER_MS ? 1 : deaths + 1;
      const reason = child.overran ? undefined : reasonOf(deaths, how, child.lastWords());
      await told({ name, state: 'restarting', reason });
      const why = child.overran ? 'ended itself over a query that overran' : `ended unexpectedly (${how})`;
      onNotice(`the ${name} worker ${why}: starting it again`);
      const again = await revive(deaths);
      if (again) child = again;
      if (released.signal.aborted) return;
      await told({ name, state: 'running', url: child.url, pid: child.pid, reason });
      onNotice(`the ${name} worker runs again`);
    }
  }

  /** One death alone may be an accident; of more somebody must hear. */
  function reasonOf(deaths: number, how: string, lastWords: string): StateReason | undefined {
    const message = `the ${name} worker ended ${deaths} times within moments, last with ${how}`;
    return explain(how, lastWords) ?? (deaths > 1 ? { code: 'worker_ends', message, remedy } : undefined);
  }

  /** Undefined once released. */
  async function revive(deaths: number): Promise<WorkerChild | undefined> {
    for (let attempt = deaths; ; attempt += 1) {
      const wait = attempt === 1 ? 0 : Math.min(FIRST_WAIT_MS * 2 ** (attempt - 2), LONGEST_WAIT_MS);
      try {
        await sleep(wait, undefined, { signal: released.signal, ref: false });
        return await start();
      } catch (error) {
        if (released.signal.aborted) return undefined;
        const message = error instanceof Error ? error.message : String(error);
        await told({ name, state: 'restarting', reason: { code: 'worker_not_started', remedy, message } });
        onNotice(message);
      }
    }
  }

  const watched = watch().catch((error: unknown) => onNotice(`the ${name} worker is not watched: ${String(error)}`));
  return {
    async stop() {
      released.abort();
      await child.stop();
      await watched;
      // A restart that was under way has put another one in its place.
      await child.stop();
    },
  };
}

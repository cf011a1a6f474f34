import { setTimeout as sleep } from 'node:timers/promises';
import type { Server } from './postgres/index.ts';

const MOST_RESTARTS = 5;
const WITHIN_MS = 60_000;
const FIRST_WAIT_MS = 250;
const LONGEST_WAIT_MS = 30_000;

/** The stack's own PostgreSQL kept ending; the stack has stopped itself. */
export class DatabaseLost extends Error {
  readonly code = 'database_lost';
  readonly remedy: string;

  constructor(logFile: string, cause: unknown) {
    const why = cause instanceof Error ? `: ${cause.message}` : '';
    super(`PostgreSQL ended again after ${MOST_RESTARTS} restarts within a minute, so the stack stopped${why}`);
    this.name = 'DatabaseLost';
    this.cause = cause;
    this.remedy = `read ${logFile}, then start the stack again`;
  }
}

export type Keeping = {
  /** As people call it. */
  name: 'PostgreSQL' | 'Neo4j';
  logFile: string;
  /** Told of each death and each restart. */
  onNotice: (text: string) => void;
  /** Told when the state changes, with why the last restart failed. */
  onState?: (state: Keeper['state'], cause?: unknown) => void;
  /** Called once, when restarting does not help. Absent: it is tried ever more slowly, and never given up. */
  onLost?: (error: DatabaseLost) => void;
  /** Milliseconds before a second restart; each further one waits twice as long. Default 250. */
  firstWaitMs?: number;
};

export interface Keeper {
  readonly state: 'running' | 'restarting';
  /** Restarts no more; waits for a restart under way, so that the server can be stopped after it. */
  release(): Promise<void>;
}

type Kept = Pick<Server, 'exited' | 'restart'>;

/**
 * Starts the server again, on its port and files, whenever its process ends before `release`. One that the stack cannot do
 * without: five times within a minute at most, since a server that dies of its own files or settings would die for ever.
 */
export function keepRunning(server: Kept, keeping: Keeping): Keeper {
  const { name, logFile, onNotice, onState = () => undefined, onLost, firstWaitMs = FIRST_WAIT_MS } = keeping;
  const released = new AbortController();
  let restarts: number[] = [];
  let restarting: Promise<void> | undefined;
  let cause: unknown;

  async function watch(): Promise<void> {
    for (;;) {
      // Settled at once after a restart that failed.
      await server.exited;
      if (released.signal.aborted) return;
      restarts = restarts.filter((at) => at > Date.now() - WITHIN_MS);
      if (onLost && restarts.length === MOST_RESTARTS) return onLost(new DatabaseLost(logFile, cause));
      restarts.push(Date.now());
      const most = onLost ? ` of at most ${MOST_RESTARTS} within a minute` : '';
      onNotice(`${name} ended unexpectedly: restart ${restarts.length}${most}`);
      onState('restarting', cause);
      restarting = restart(restarts.length);
      await restarting;
      restarting = undefined;
    }
  }

  async function restart(attempt: number): Promise<void> {
    try {
      // At once the first time; later ones give passing trouble (a full disk, a taken port) time to pass.
      const wait = Math.min(firstWaitMs * 2 ** (attempt - 2), LONGEST_WAIT_MS);
      if (attempt > 1) await sleep(wait, undefined, { signal: released.signal });
      await server.restart();
    } catch (error) {
      if (released.signal.aborted) return;
      cause = error;
      onNotice(`${name} did not start again: ${error instanceof Error ? error.message : String(error)}`);
      return;
    }
    cause = undefined;
    onNotice(`${name} runs again`);
    onState('running');
  }

  // What is told of it may fail by itself: the daemon goes on, and nobody keeps the server any longer; so it is said.
  watch().catch((error: unknown) => onNotice(`${name} is no longer kept running: ${String(error)}`));
  return {
    get state() {
      return restarting ? 'restarting' : 'running';
    },
    async release() {
      released.abort();
      await restarting;
    },
  };
}

import { setTimeout as sleep } from 'node:timers/promises';
import {
  GraphFault,
  type Ledger,
  type OnceReport,
  type QuarantinedRow,
  SyncRefused,
  type SyncStatus,
  type SyncWorker,
} from '../../../lineage/index.ts';

/** A worker's status with the rows that the graph refused, oldest first, a hundred at most. */
export interface WorkerStatus extends SyncStatus {
  quarantine: QuarantinedRow[];
}

const LOOK_AGAIN_MS = 50;
/** A side that is away so long is told of, not waited for. */
const AWAY_MS = 30_000;
/** So long after its start a worker may be about to open its graph: the lock of one that was killed goes first. */
const OPENS_WITHIN_MS = 10_000;
/** States in which it may come to that. */
const OPENING = new Set(['starting', 'standby', 'active']);

/** What can be asked of a running sync worker, in whose process the embedded graph's files are open. */
export interface SyncControl {
  status(): Promise<WorkerStatus>;
  /**
   * Waits until the graph holds everything that the feed gives now. Counts what the worker wrote meanwhile.
   *
   * @throws GraphFault when the graph is away for half a minute
   * @throws SyncRefused `not_active` when the worker is on standby, refused, or does not get there within `timeoutMs`
   */
  once(timeoutMs: number): Promise<OnceReport>;
  /** Waits until a worker that was started just now has opened its graph, or will not. */
  opened(): Promise<void>;
}

/** @param awayMs how long a side may be away; tests shorten it */
export function controlOf(
  worker: Pick<SyncWorker, 'mirror' | 'status' | 'graph'>,
  openLedger: () => Promise<Ledger>,
  stopping: AbortSignal,
  awayMs = AWAY_MS,
): SyncControl {
  const startedAt = Date.now();
  return {
    async opened() {
      while (!worker.graph() && OPENING.has(worker.status().state) && !stopping.aborted) {
        if (Date.now() - startedAt > OPENS_WITHIN_MS) return;
        await sleep(LOOK_AGAIN_MS);
      }
    },
    async status() {
      const status = worker.status();
      // A ledger that does not answer must not keep the status from being told.
      const quarantine =
        status.quarantined === 0
          ? []
          : await using(openLedger, (ledger) => ledger.quarantine.list(worker.mirror, 100)).catch(() => []);
      return { ...status, quarantine };
    },
    once: (timeoutMs) => using(openLedger, (ledger) => catchUp(worker, ledger, { timeoutMs, awayMs, stopping })),
  };
}

async function catchUp(
  worker: Pick<SyncWorker, 'mirror' | 'status'>,
  ledger: Ledger,
  { timeoutMs, awayMs, stopping }: { timeoutMs: number; awayMs: number; stopping: AbortSignal },
): Promise<OnceReport> {
  const before = worker.status();
  let wellAt = Date.now();
  for (const end = Date.now() + timeoutMs; ; await sleep(LOOK_AGAIN_MS)) {
    const status = worker.status();
    if (status.state === 'refused' || status.state === 'standby' || stopping.aborted) throw notActive(status);
    if (status.state !== 'waiting') wellAt = Date.now();
    else if (Date.now() - wellAt > awayMs) throw awayOf(status);
    if (status.state === 'active') {
      // Not the lag: that counts what an open transaction withholds, too, which nobody can mirror before its end.
      const { rows, to } = await ledger.read(status.position, 1);
      if (rows.length === 0 && to === null) {
        const { held_back_by } = await ledger.lag(status.position);
        return {
          mirror: worker.mirror,
          rows: status.rows_written - before.rows_written,
          batches: status.batches_written - before.batches_written,
          quarantined: status.rows_parked - before.rows_parked,
          position: status.position,
          held_back_by,
        };
      }
    }
    if (Date.now() > end) throw notActive(status);
  }
}

/** A ledger that is away is no fault of the graph. */
function awayOf(status: SyncStatus): Error {
  const { reason } = status;
  if (!reason || reason.code === 'ledger_unreachable') return notActive(status);
  return new GraphFault('passing', reason.code, reason.message, { remedy: reason.remedy ?? undefined });
}

function notActive(status: SyncStatus): SyncRefused {
  const why = status.reason ? `: ${status.reason.message}` : '';
  return new SyncRefused(
    'not_active',
    `the worker is ${status.state === 'active' ? 'still behind' : status.state}${why}`,
    status.reason?.remedy ?? 'outcome-ledger sync --status tells how far it is; ask again',
  );
}

async function using<T>(openLedger: () => Promise<Ledger>, work: (ledger: Ledger) => Promise<T>): Promise<T> {
  const ledger = await openLedger();
  try {
    return await work(ledger);
  } finally {
    await ledger.close();
  }
}

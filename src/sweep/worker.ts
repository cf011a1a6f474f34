import { judgeHealth, type LedgerHealth } from '../database/index.ts';
import { Backoff } from '../worker/backoff.ts';
import { verdictOnLedger } from '../worker/ledger-fault.ts';
import { pause } from '../worker/pause.ts';
import { WorkerSession } from '../worker/session.ts';
import { StatusBoard } from './status-board.ts';
import type { SweepOptions, SweepPace, SweepWorker } from './types.ts';

const PACE: Readonly<SweepPace> = { idleMs: 1_000, refusedMs: 5_000, backoffMs: 100, backoffMaxMs: 10_000 };

/** What `public.sweep_overdue` says of one batch. */
interface Swept {
  swept: number;
  skipped: number;
  expired_requests: number;
  more: boolean;
}

/** The schema is compared again so often: a migration may run under a worker. */
const CHECK_MS = 60_000;

/**
 * Starts a worker that calls `public.sweep_overdue` batch after batch while there is something overdue, and looks again every
 * second otherwise. Any number may run, beside pg_cron too: a batch skips what another has in hand. It returns at once; a
 * ledger that cannot be reached, or must not be swept, shows in `status()` and in the log, and is tried again for ever.
 */
export function startSweep({ url, log = () => undefined, pace: given }: SweepOptions): SweepWorker {
  const pace = { ...PACE, ...given };
  const board = new StatusBoard(log);
  const session = new WorkerSession(url, 'outcome-ledger sweep');
  const stopping = new AbortController();
  const running = sweepUntil(stopping.signal, session, board, pace);
  return {
    status: () => board.read(),
    async stop() {
      stopping.abort();
      await running;
      await session.close();
      board.standing.enter('stopped');
    },
  };
}

async function sweepUntil(
  stop: AbortSignal,
  session: WorkerSession,
  board: StatusBoard,
  pace: SweepPace,
): Promise<void> {
  const backoff = new Backoff(pace.backoffMs, pace.backoffMaxMs);
  for (let checkAt = 0; !stop.aborted; ) {
    try {
      if (Date.now() >= checkAt) {
        const refusal = judgeHealth(await session.ask<LedgerHealth>('select public.ledger_health()'));
        if (refusal) throw refusal;
        checkAt = Date.now() + CHECK_MS;
      }
      const batch = await session.ask<Swept>('select public.sweep_overdue(100)');
      board.passed(batch);
      backoff.reset();
      // What is skipped is being written by somebody: asking at once would only be told so again.
      const more = batch.swept > 0 ? batch.more : batch.expired_requests === 100;
      if (!more) await pause(pace.idleMs, stop);
    } catch (error) {
      checkAt = 0;
      const { state, reason } = verdictOnLedger(error, 'ledger_sweep');
      board.standing.enter(state, reason);
      await pause(state === 'refused' ? pace.refusedMs : backoff.next(), stop);
    }
  }
}

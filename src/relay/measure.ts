import { pause } from '../worker/pause.ts';
import type { RelayLedger } from './ledger.ts';
import type { StatusBoard } from './status-board.ts';

/** Counts what waits every `everyMs` until the signal comes; a ledger that does not answer is the delivering's to tell. */
export async function measureQueue(
  ledger: Pick<RelayLedger, 'status'>,
  board: StatusBoard,
  everyMs: number,
  stop: AbortSignal,
): Promise<void> {
  while (!stop.aborted) {
    try {
      const { held_back_by, ...queue } = await ledger.status();
      board.measured(queue, held_back_by);
    } catch {
      board.forgetQueue();
    }
    await pause(everyMs, stop);
  }
}

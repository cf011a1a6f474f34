import type { Ledger } from '../feed/ledger.ts';
import { LedgerLost } from './guards.ts';
import { pause } from './pause.ts';
import type { StatusBoard } from './status-board.ts';

/** A measurement takes at most one part in so many of the session's time. */
const SHARE = 20;

/**
 * Measures the lag and counts the quarantine every `everyMs`, less often where that takes long, until the signal comes. It
 * runs beside the mirroring, so that the lag is seen to grow while the graph hangs, and a lost session is noticed while
 * nothing else asks the ledger.
 *
 * @param everyMs milliseconds
 * @param onLost called at most once
 */
export async function watchLag(
  ledger: Ledger,
  board: StatusBoard,
  everyMs: number,
  signal: AbortSignal,
  onLost: (error: LedgerLost) => void,
): Promise<void> {
  while (!signal.aborted) {
    const began = Date.now();
    try {
      board.quarantined(await ledger.quarantine.count(board.mirror));
      if (board.placed) board.lag(await ledger.lag(board.position));
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof LedgerLost) return onLost(error);
      // A refusal of the ledger is the mirroring's to tell.
      board.forgetLag();
    }
    await pause(Math.max(everyMs, (Date.now() - began) * SHARE), signal);
  }
}

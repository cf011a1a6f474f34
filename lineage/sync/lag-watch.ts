import { pause } from '../../src/worker/pause.ts';
import type { Ledger } from '../feed/ledger.ts';
import { LedgerLost } from './guards.ts';
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
    const { placed } = board;
    try {
      board.quarantined(await ledger.quarantine.count(board.mirror));
      if (placed) board.lag(await ledger.lag(board.position));
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof LedgerLost) return onLost(error);
      // A refusal of the ledger is the mirroring's to tell.
      board.forgetLag();
    }
    // The first measurement is waited for: it comes as soon as the position is known.
    await pause(placed ? Math.max(everyMs, (Date.now() - began) * SHARE) : everyMs, signal);
  }
}

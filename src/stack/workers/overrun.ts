import type { QueryRefused } from '../../../lineage/index.ts';
import type { Log } from './log.ts';

/** The asker's answer goes out within moments; meanwhile the query takes memory on. */
const ANSWER_MS = 250;
/** Enough of a text to know it again. */
const TEXT_SHOWN = 300;

/** What a process says to the one that started it before it ends itself. */
export const OVERRUN_MESSAGE = { ending: 'query_overran' } as const;

/**
 * Ends this process over a query that nothing in it can end. At once and not in order, as the graph's library waits for its
 * queries on every other way out; its files are made for that, and whoever supervises this process starts it again.
 */
export function endForOverrun(refusal: QueryRefused, text: string, log: Log): void {
  log({
    level: 'error',
    message: `a query overran, so this process ends: ${refusal.message}`,
    details: { code: refusal.code, query: text.slice(0, TEXT_SHOWN) },
  });
  if (process.connected) process.send?.(OVERRUN_MESSAGE);
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), ANSWER_MS);
}

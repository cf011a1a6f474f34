import { LedgerUnreachableError, retell } from './errors.ts';

/** Rethrows what a start met. When the ledger was not there, the caller should know that nothing has happened yet. */
export function notRun(error: unknown): never {
  if (error instanceof LedgerUnreachableError) retell(error, `${error.message}; the work was not run`);
  throw error;
}

import { LedgerRefused } from '../feed/ledger.ts';
import { GraphFault, GraphRefused } from '../graph/fault.ts';
import { LedgerLost, messageOf } from './guards.ts';
import { type SyncFaults, type SyncReason, SyncRefused } from './types.ts';

/** What an error means for a worker: look again later, wait for the graph, wait for the ledger, or read the position again. */
export interface Verdict {
  state: 'refused' | 'waiting';
  reason: SyncReason;
  /** Which counter it belongs to; refusals have none. */
  kind: keyof SyncFaults | null;
}

export function verdictOn(error: unknown): Verdict {
  if (error instanceof LedgerRefused || error instanceof GraphRefused || error instanceof SyncRefused) {
    const { code, message, remedy } = error;
    return { state: 'refused', reason: { code, message, remedy }, kind: null };
  }
  if (error instanceof LedgerLost) {
    return waiting('ledger', 'ledger_unreachable', error.message, null);
  }
  if (error instanceof GraphFault && error.kind === 'passing') {
    return waiting('passing', error.code, `the graph does not take the batch for now: ${error.message}`, error.remedy);
  }
  const { code, remedy } = error instanceof GraphFault ? error : { code: 'unexpected', remedy: null };
  return waiting('whole', code, `the graph takes nothing: ${messageOf(error)}`, remedy ?? WHOLE_REMEDY);
}

const WHOLE_REMEDY =
  'Mend the graph: its credentials, its rights to write, its disk, its database’s name. Nothing was put aside; the backlog drains by itself.';

function waiting(kind: keyof SyncFaults, code: string, message: string, remedy: string | null): Verdict {
  return { state: 'waiting', reason: { code, message, remedy }, kind };
}

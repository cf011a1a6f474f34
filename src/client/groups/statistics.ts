import type { FailureRateFilter } from '../filters.ts';
import type { FailureRates } from '../phase-documents.ts';
import type { Transport } from '../transport.ts';
import { readOne } from './read.ts';

export interface Statistics {
  /** How often phases failed, by what the ledger concluded, per agent, version and domain. */
  failureRates(filter?: FailureRateFilter): Promise<FailureRates>;
}

export function statistics(transport: Transport): Statistics {
  return { failureRates: (filter) => readOne(transport, 'statistics/failure-rates', filter) };
}

import type { FailureRateFilter, JudgmentStatisticsFilter } from '../filters.ts';
import type { JudgmentStatistics } from '../judgment-documents.ts';
import type { FailureRates } from '../phase-documents.ts';
import type { Transport } from '../transport.ts';
import { readOne } from './read.ts';

export interface Statistics {
  /** How often phases failed, by what the ledger concluded, per agent, version and domain. */
  failureRates(filter?: FailureRateFilter): Promise<FailureRates>;
  /** How outcomes are judged, per agent or workflow, version and domain: success rate, agent score, claims. */
  judgments(filter?: JudgmentStatisticsFilter): Promise<JudgmentStatistics>;
}

export function statistics(transport: Transport): Statistics {
  return {
    failureRates: (filter) => readOne(transport, 'statistics/failure-rates', filter),
    judgments: (filter) => readOne(transport, 'statistics/judgments', filter),
  };
}

import type { Command } from 'commander';
import type { CorrelationDocument } from '../../client/documents.ts';
import { firstErrors } from '../first-errors.ts';
import { getJson } from '../http.ts';
import { openLedger } from '../ledger.ts';
import { type LedgerOptions, withLedger } from '../options.ts';
import { print } from '../output.ts';
import { renderCorrelation } from '../render/correlation.ts';
import type { Session } from '../session.ts';

export function registerCorrelation(program: Command, session: Session): void {
  withLedger(program.command('correlation'))
    .description('everything recorded under one correlation id, and what is still open')
    .argument('<correlation-id>', 'the business transaction')
    .action(async (correlationId: string, options: LedgerOptions) => {
      const path = `/lineage/correlations/${encodeURIComponent(correlationId)}`;
      const ledger = await openLedger(options);
      const document = await getJson<CorrelationDocument>(ledger, path);
      const errors = options.json ? new Map<string, string>() : await firstErrors(ledger, document);
      print(session.terminal, options.json, document, () =>
        renderCorrelation(document, errors, session.terminal.colour),
      );
    });
}

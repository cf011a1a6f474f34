import type { Command } from 'commander';
import type { FailureRates } from '../../client/phase-documents.ts';
import { getJson } from '../http.ts';
import { openLedger } from '../ledger.ts';
import { type LedgerOptions, withLedger } from '../options.ts';
import { print } from '../output.ts';
import { renderFailureRates } from '../render/failure-rates.ts';
import type { Session } from '../session.ts';

interface FailuresOptions extends LedgerOptions {
  source?: string;
  sourceVersion?: string;
  domain?: string;
  from?: string;
  to?: string;
}

export function registerFailures(phase: Command, session: Session): void {
  withLedger(phase.command('failures'))
    .description('how often phases failed, by what was concluded, per agent, version and domain')
    .option('--source <id>', 'of this agent alone')
    .option('--source-version <semver>', 'of this version alone')
    .option('--domain <domain>', 'in this domain alone')
    .option('--from <time>', 'concluded at or after this time (RFC 3339)')
    .option('--to <time>', 'concluded before this time (RFC 3339)')
    .action(async (options: FailuresOptions) => {
      const { source, sourceVersion, domain, from, to } = options;
      const asked = Object.entries({ source_id: source, source_version: sourceVersion, domain, from, to });
      const query = new URLSearchParams(asked.filter((entry): entry is [string, string] => entry[1] !== undefined));
      const rates = await getJson<FailureRates>(await openLedger(options), `/statistics/failure-rates?${query}`);
      const { terminal } = session;
      print(terminal, options.json, rates, () => renderFailureRates(rates, terminal.colour));
    });
}

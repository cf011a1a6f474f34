import { type Command, Option } from 'commander';
import type { JudgmentStatistics } from '../../client/judgment-documents.ts';
import { SOURCE_TYPES } from '../../contract/vocabulary.ts';
import { parseDuration } from '../duration.ts';
import { usage } from '../failure.ts';
import { getJson } from '../http.ts';
import { openLedger } from '../ledger.ts';
import { type LedgerOptions, withLedger } from '../options.ts';
import { print } from '../output.ts';
import { renderStats } from '../render/stats.ts';
import type { Session } from '../session.ts';

interface StatsOptions extends LedgerOptions {
  type?: string;
  source?: string;
  sourceVersion?: string;
  domain?: string;
  last?: string;
  from?: string;
  to?: string;
}

export function registerStats(program: Command, session: Session): void {
  withLedger(program.command('stats'))
    .description('how outcomes are judged, per agent or workflow and version, beside what they claim')
    .addOption(new Option('--type <type>', 'of agents or of workflows').choices([...SOURCE_TYPES]))
    .option('--source <id>', 'of this agent or workflow')
    .option('--source-version <semver>', 'of this version of it')
    .option('--domain <domain>', 'of this domain pack')
    .option('--last <duration>', 'recorded within 90s, 15m, 12h or 30d')
    .option('--from <time>', 'recorded at or after this time (RFC 3339, UTC)')
    .option('--to <time>', 'recorded before this time')
    .action(async (options: StatsOptions) => {
      const { type, source, sourceVersion, domain, last, to } = options;
      if (last !== undefined && options.from !== undefined) throw usage('--last and --from both say since when');
      const from = last === undefined ? options.from : new Date(Date.now() - parseDuration(last) * 1000).toISOString();
      const query = new URLSearchParams();
      const asked = { source_type: type, source_id: source, source_version: sourceVersion, domain, from, to };
      for (const [name, value] of Object.entries(asked)) if (value !== undefined) query.set(name, value);
      const counted = await getJson<JudgmentStatistics>(await openLedger(options), `/statistics/judgments?${query}`);
      print(session.terminal, options.json, counted, () => renderStats(counted.items, session.terminal.colour));
    });
}

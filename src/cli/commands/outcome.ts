import { type Command, Option } from 'commander';
import type { OutcomeRecord } from '../../client/documents.ts';
import type { Page } from '../../client/pages.ts';
import { STATUSES } from '../../contract/statuses.ts';
import { SOURCE_TYPES } from '../../contract/vocabulary.ts';
import { getByOutcome } from '../by-outcome.ts';
import { getJson } from '../http.ts';
import { openLedger } from '../ledger.ts';
import { type LedgerOptions, uuid, wholeNumber, withLedger } from '../options.ts';
import { print } from '../output.ts';
import { renderOutcome } from '../render/outcome.ts';
import { renderOutcomes } from '../render/outcomes.ts';
import type { Session } from '../session.ts';

export function registerOutcome(program: Command, session: Session): void {
  const outcome = program.command('outcome').description('read recorded outcomes');
  registerShow(outcome, session);
  registerList(outcome, session);
}

function registerShow(outcome: Command, session: Session): void {
  withLedger(outcome.command('show'))
    .description('one outcome whole, with what came too late')
    .argument('<id>', 'its id, or that of the invocation or execution that it ended', uuid)
    .action(async (id: string, options: LedgerOptions) => {
      const ledger = await openLedger(options);
      const document = await getByOutcome<OutcomeRecord>(ledger, id, (outcomeId) => `/outcomes/${outcomeId}`);
      print(session.terminal, options.json, document, () => renderOutcome(document, session.terminal.colour));
    });
}

interface Wanted extends LedgerOptions {
  status?: string;
  type?: string;
  source?: string;
  domain?: string;
  correlation?: string;
  execution?: string;
  from?: string;
  to?: string;
  limit: number;
  cursor?: string;
}

function registerList(outcome: Command, session: Session): void {
  withLedger(outcome.command('list'))
    .description('the latest outcomes, newest first')
    .addOption(new Option('--status <status>', 'of this status').choices([...STATUSES]))
    .addOption(new Option('--type <type>', 'of agents or of workflows').choices([...SOURCE_TYPES]))
    .option('--source <id>', 'of this agent or workflow')
    .option('--domain <domain>', 'of this domain pack')
    .option('--correlation <id>', 'of this business transaction')
    .option('--execution <id>', 'of this execution, and of what ran in it', uuid)
    .option('--from <time>', 'recorded at or after this time (RFC 3339, UTC)')
    .option('--to <time>', 'recorded before this time')
    .option('--limit <n>', 'at most this many', wholeNumber(1, 1000), 50)
    .option('--cursor <cursor>', 'go on where a list ended')
    .action(async (options: Wanted) => {
      const { limit, cursor, status, type, source, domain, correlation, execution, from, to } = options;
      const query = new URLSearchParams({ limit: String(limit) });
      const asked = {
        status,
        source_type: type,
        source_id: source,
        domain,
        correlation_id: correlation,
        from,
        to,
        cursor,
      };
      for (const [name, value] of Object.entries({ ...asked, execution_id: execution })) {
        if (value !== undefined) query.set(name, value);
      }
      const page = await getJson<Page<OutcomeRecord>>(await openLedger(options), `/outcomes?${query}`);
      print(session.terminal, options.json, page, () => renderOutcomes(page, session.terminal.colour));
    });
}

import type { Command } from 'commander';
import type { OutcomeRecord } from '../../client/documents.ts';
import { getByOutcome } from '../by-outcome.ts';
import { openLedger } from '../ledger.ts';
import { type LedgerOptions, uuid, withLedger } from '../options.ts';
import { print } from '../output.ts';
import { renderOutcome } from '../render/outcome.ts';
import type { Session } from '../session.ts';

export function registerOutcome(program: Command, session: Session): void {
  const outcome = program.command('outcome').description('read recorded outcomes');
  withLedger(outcome.command('show'))
    .description('one outcome whole, with what came too late')
    .argument('<id>', 'its id, or that of the invocation or execution that it ended', uuid)
    .action(async (id: string, options: LedgerOptions) => {
      const ledger = await openLedger(options);
      const document = await getByOutcome<OutcomeRecord>(ledger, id, (outcomeId) => `/outcomes/${outcomeId}`);
      print(session.terminal, options.json, document, () => renderOutcome(document, session.terminal.colour));
    });
}

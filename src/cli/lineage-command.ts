import type { Command } from 'commander';
import type { LineageDocument } from '../client/documents.ts';
import { getByOutcome } from './by-outcome.ts';
import { causesOf } from './causes.ts';
import { openLedger } from './ledger.ts';
import { type LedgerOptions, uuid, wholeNumber, withLedger } from './options.ts';
import { print } from './output.ts';
import { renderTree } from './render/tree.ts';
import type { Session } from './session.ts';

/** `why` and `impact` differ in the direction and in nothing else. */
export function addLineageCommand(
  program: Command,
  session: Session,
  direction: 'why' | 'impact',
  description: string,
): void {
  withLedger(program.command(direction))
    .description(description)
    .argument('<id>', 'the outcome to start from, or the invocation or execution that it ended', uuid)
    .option('--depth <n>', 'links to follow at most, 1 to 64', wholeNumber(1, 64), 20)
    .action(async (id: string, options: LedgerOptions & { depth: number }) => {
      const ledger = await openLedger(options);
      const lineage = await getByOutcome<LineageDocument>(
        ledger,
        id,
        (outcomeId) => `/lineage/outcomes/${outcomeId}/${direction}?max_depth=${options.depth}`,
      );
      const { causes, left_out } = await causesOf(ledger, lineage);
      const document = { ...lineage, causes, causes_left_out: left_out };
      const { terminal } = session;
      print(terminal, options.json, document, () => renderTree(document, terminal.colour, terminal.width));
    });
}

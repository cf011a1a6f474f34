import { type Command, Option } from 'commander';
import type { GapsDocument } from '../../client/documents.ts';
import { GAPS } from '../../contract/gaps.ts';
import { EXIT } from '../exit.ts';
import { getJson } from '../http.ts';
import { openLedger } from '../ledger.ts';
import { type LedgerOptions, withLedger } from '../options.ts';
import { print } from '../output.ts';
import { renderGaps } from '../render/gaps.ts';
import type { Session } from '../session.ts';

export function registerGaps(program: Command, session: Session): void {
  withLedger(program.command('gaps'))
    .description('what is missing: causes, contributions, policy, humans, definitions, outcomes past their deadline')
    .addOption(new Option('--gap <kind>', 'only this kind').choices([...GAPS]))
    .option('--exit-code', 'exit 1 when there is a gap')
    .action(async (options: LedgerOptions & { gap?: string; exitCode?: boolean }) => {
      const query = options.gap === undefined ? '' : `?gap=${options.gap}`;
      const document = await getJson<GapsDocument>(await openLedger(options), `/lineage/gaps${query}`);
      print(session.terminal, options.json, document, () => renderGaps(document, session.terminal.colour, options.gap));
      if (options.exitCode && document.items.length > 0) session.exit = EXIT.failed;
    });
}

import type { Command } from 'commander';
import { withJson } from '../options.ts';
import { print } from '../output.ts';
import { renderJudgmentTable } from '../render/judgment.ts';
import type { Session } from '../session.ts';

export function registerJudgment(program: Command, session: Session): void {
  const judgment = program.command('judgment').description('what may count as a success');
  withJson(judgment.command('table'))
    .description('print what every lifecycle, verification and requirement is judged to be; needs no ledger')
    .action(async (options: { json?: boolean }) => {
      const { judgmentTable } = await import('../../contract/judgment/index.ts');
      const cells = judgmentTable();
      print(session.terminal, options.json, cells, () => renderJudgmentTable(cells, session.terminal.colour));
    });
}

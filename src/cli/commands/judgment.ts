import { type Command, Option } from 'commander';
import type { Judgment, JudgmentWithEvidence } from '../../client/judgment-documents.ts';
import type { Page } from '../../client/pages.ts';
import { JUDGMENTS, LIFECYCLES } from '../../contract/judgment/words.ts';
import { SOURCE_TYPES } from '../../contract/vocabulary.ts';
import { getJson } from '../http.ts';
import { openLedger } from '../ledger.ts';
import { type LedgerOptions, uuid, wholeNumber, withJson, withLedger } from '../options.ts';
import { print } from '../output.ts';
import { renderJudgment, renderJudgments } from '../render/judged.ts';
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
  withLedger(judgment.command('show'))
    .description('whether it succeeded, and what that rests on')
    .argument('<id>', 'an outcome, or an invocation or execution whether it has ended or not', uuid)
    .action(async (id: string, options: LedgerOptions) => {
      const judged = await getJson<JudgmentWithEvidence>(await openLedger(options), `/judgments/${id}`);
      print(session.terminal, options.json, judged, () => renderJudgment(judged, session.terminal.colour));
    });
  registerList(judgment, session);
}

interface Wanted extends LedgerOptions {
  judgment?: string;
  lifecycle?: string;
  type?: string;
  source?: string;
  correlation?: string;
  limit: number;
  cursor?: string;
}

function registerList(judgment: Command, session: Session): void {
  withLedger(judgment.command('list'))
    .description('invocations and executions, ended or open, those that started last first')
    .addOption(new Option('--judgment <word>', 'judged to be this').choices([...JUDGMENTS]))
    .addOption(new Option('--lifecycle <word>', 'whose run stands here').choices([...LIFECYCLES]))
    .addOption(new Option('--type <type>', 'of agents or of workflows').choices([...SOURCE_TYPES]))
    .option('--source <id>', 'of this agent or workflow')
    .option('--correlation <id>', 'of this business transaction')
    .option('--limit <n>', 'at most this many', wholeNumber(1, 1000), 50)
    .option('--cursor <cursor>', 'go on where a list ended')
    .action(async (options: Wanted) => {
      const { judgment: word, lifecycle, type, source, correlation, limit, cursor } = options;
      const query = new URLSearchParams({ limit: String(limit) });
      const asked = {
        judgment: word,
        lifecycle,
        source_type: type,
        source_id: source,
        correlation_id: correlation,
        cursor,
      };
      for (const [name, value] of Object.entries(asked)) if (value !== undefined) query.set(name, value);
      const page = await getJson<Page<Judgment>>(await openLedger(options), `/judgments?${query}`);
      print(session.terminal, options.json, page, () => renderJudgments(page, session.terminal.colour));
    });
}

import type { Command } from 'commander';
import { VERIFICATION_LIMIT_MS } from '../../contract/limits.ts';
import { parseDuration } from '../duration.ts';
import { EXIT } from '../exit.ts';
import { Failure } from '../failure.ts';
import { openLedger } from '../ledger.ts';
import { type LedgerOptions, uuid, withLedger } from '../options.ts';
import { print } from '../output.ts';
import { renderJudgment } from '../render/judged.ts';
import type { Session } from '../session.ts';
import { untilJudged } from '../until-judged.ts';

export function registerWait(program: Command, session: Session): void {
  withLedger(program.command('wait'))
    .description(
      'follow a run until its judgment is final: exit 0 when it succeeded, 1 when not, 3 while a human is asked',
    )
    .argument('<id>', 'an outcome, an invocation or an execution', uuid)
    .option('--timeout <duration>', 'give up after 90s, 15m or 1h', '1h')
    .action(async (id: string, options: LedgerOptions & { timeout: string }) => {
      const timeoutMs = parseDuration(options.timeout) * 1000;
      const ledger = await openLedger(options);
      const { judged, final } = await untilJudged(ledger, id, { timeoutMs, verificationMs: VERIFICATION_LIMIT_MS });
      if (judged === null || (!final && judged.lifecycle !== 'awaiting_input')) {
        throw new Failure(
          {
            code: 'wait_timeout',
            title: 'Not judged yet',
            detail: judged
              ? `${id} is still ${judged.lifecycle}, its verification ${judged.verification}, after ${options.timeout}`
              : `the ledger said nothing of ${id} within ${options.timeout}`,
            remedy: 'wait again, with a longer --timeout',
            judgment: judged?.judgment ?? null,
          },
          EXIT.failed,
        );
      }
      print(session.terminal, options.json, judged, () => renderJudgment(judged, session.terminal.colour));
      session.exit = judged.counts_as_success ? EXIT.ok : final ? EXIT.failed : EXIT.parked;
    });
}

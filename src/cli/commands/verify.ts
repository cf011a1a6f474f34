import { StringDecoder } from 'node:string_decoder';
import type { Command } from 'commander';
import type { JudgmentWithEvidence } from '../../client/judgment-documents.ts';
import { VERIFICATION_LIMIT_MS } from '../../contract/limits.ts';
import { parseDuration } from '../duration.ts';
import { EXIT } from '../exit.ts';
import { usage } from '../failure.ts';
import { getJson, postJson } from '../http.ts';
import { openLedger } from '../ledger.ts';
import { type LedgerOptions, uuid, withLedger } from '../options.ts';
import { print } from '../output.ts';
import { renderVerification } from '../render/judged.ts';
import type { Session } from '../session.ts';
import { endedSubject, verifyOf, whileStoppable } from '../verify-command.ts';

/** As far as a timer reaches. */
const LONGEST_MS = 24 * 86_400_000;

interface VerifyOptions extends LedgerOptions {
  limit: string;
  cwd?: string;
  skip?: boolean;
  as: string;
}

export function registerVerify(program: Command, session: Session): void {
  withLedger(program.command('verify'))
    .description('run a verification of an outcome and record how its process ended; exit 0 when it passed')
    .argument('<id>', 'an outcome, or the invocation or execution that it ended', uuid)
    .argument('[command...]', "the command after --; without one, the start's `verify` is run by /bin/sh")
    .option(
      '--limit <duration>',
      'end it after 90s, 15m or 1h; it then counts as timed out',
      `${VERIFICATION_LIMIT_MS / 60_000}m`,
    )
    .option('--cwd <dir>', 'run it in this directory')
    .option('--skip', 'record that there was nothing to run, for a `verify` of auto')
    .option('--as <actor>', 'who verifies, on the local stack (elsewhere the token says it)', 'local-verifier')
    .action(async (id: string, words: string[], options: VerifyOptions) => {
      if (options.skip && words.length > 0) throw usage('--skip says that there is nothing to run: give no command');
      const limitMs = parseDuration(options.limit) * 1000;
      if (limitMs > LONGEST_MS) throw usage(`--limit ${options.limit} is longer than 24 days`);
      const ledger = await openLedger(options, { role: 'worker', actorId: options.as });
      const subject = await endedSubject(ledger, id);
      const verification_id = crypto.randomUUID();
      const said = new StringDecoder('utf8');
      await whileStoppable(async (signal) => {
        const evidence = options.skip
          ? { verification: 'skipped', resolved_verify: 'skip' }
          : await verifyOf(ledger, subject, words, {
              limitMs,
              ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
              onOutput: (chunk) => session.terminal.err(said.write(chunk)),
              signal,
            });
        await postJson(ledger, `/judgments/${subject.outcome_id}/verifications`, { verification_id, ...evidence });
      });
      const judged = await getJson<JudgmentWithEvidence>(ledger, `/judgments/${subject.outcome_id}`);
      const record = judged.verifications.find((one) => one.verification_id === verification_id);
      print(session.terminal, options.json, judged, () => renderVerification(record, judged, session.terminal.colour));
      session.exit = record?.verification === 'passed' ? EXIT.ok : EXIT.failed;
    });
}

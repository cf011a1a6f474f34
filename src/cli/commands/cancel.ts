import type { Command } from 'commander';
import type { RecordedEnvelope } from '../../client/documents.ts';
import { findSubject } from '../causes.ts';
import { EXIT } from '../exit.ts';
import { Failure, usage } from '../failure.ts';
import { postJson } from '../http.ts';
import { openLedger } from '../ledger.ts';
import { type LedgerOptions, uuid, withLedger } from '../options.ts';
import { print } from '../output.ts';
import type { Session } from '../session.ts';

export function registerCancel(program: Command, session: Session): void {
  withLedger(program.command('cancel'))
    .description('give an open invocation or execution up: it ends as a failure, CANCELED, with the reason')
    .argument('<id>', 'the invocation or execution', uuid)
    .requiredOption('--reason <text>', 'why, for the record')
    .option('--as <actor>', 'who cancels, on the local stack (elsewhere the token says it)', 'local-operator')
    .action(async (id: string, options: LedgerOptions & { reason: string; as: string }) => {
      if (options.reason.trim() === '') throw usage('--reason says why; it may not be blank');
      const ledger = await openLedger(options, { role: 'operator', actorId: options.as });
      const subject = await findSubject(ledger, id);
      if (!subject) {
        throw new Failure(
          {
            code: 'unknown_subject',
            title: 'Unknown invocation or execution',
            detail: `no invocation or execution of this tenant has the id ${id}`,
            remedy: 'check the id and the tenant',
          },
          EXIT.failed,
        );
      }
      const path = `/${subject.kind}s/${id}/cancel`;
      const outcome = await postJson<RecordedEnvelope>(ledger, path, { reason: options.reason });
      print(
        session.terminal,
        options.json,
        outcome,
        () => `${subject.kind} ${id} ended as ${outcome.status} (CANCELED)\noutcome ${outcome.outcome_id}`,
      );
    });
}

import type { Command } from 'commander';
import type { GatePassage } from '../../client/judgment-documents.ts';
import { usage } from '../failure.ts';
import { postJson } from '../http.ts';
import { openLedger } from '../ledger.ts';
import { type LedgerOptions, uuid, withLedger } from '../options.ts';
import { print } from '../output.ts';
import { renderGate } from '../render/judged.ts';
import type { Session } from '../session.ts';

interface GateOptions extends LedgerOptions {
  allowUnverified?: string;
  overrideBroken?: string;
  as: string;
}

export function registerGate(program: Command, session: Session): void {
  withLedger(program.command('gate'))
    .description('whether what was done may be built upon: exit 0 when all of it may, 1 when any may not')
    .argument('<id...>', 'outcomes, or the invocations or executions that they end', collectIds)
    .option('--allow-unverified <reason>', 'let pass what no verification has answered for, and record why')
    .option('--override-broken <reason>', 'let pass what a verification says no to, and record why (operators)')
    .option(
      '--as <actor>',
      'who passes with a flag, on the local stack (elsewhere the token says it)',
      'local-operator',
    )
    .action(async (ids: string[], options: GateOptions) => {
      const { allowUnverified, overrideBroken } = options;
      for (const reason of [allowUnverified, overrideBroken]) {
        if (reason?.trim() === '') throw usage('the reason is recorded; it may not be blank');
      }
      const flagged = allowUnverified !== undefined || overrideBroken !== undefined;
      const ledger = flagged
        ? await openLedger(options, { role: 'operator', actorId: options.as })
        : await openLedger(options);
      const request = { ids, allow_unverified: allowUnverified, override_broken: overrideBroken };
      const answer = await postJson<{ items: GatePassage[] }>(ledger, '/judgments/gate', request);
      print(session.terminal, options.json, answer, () => renderGate(answer.items, session.terminal.colour));
    });
}

function collectIds(id: string, before: string[] | undefined): string[] {
  return [...(before ?? []), uuid(id)];
}

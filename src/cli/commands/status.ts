import type { Command } from 'commander';
import { unreachable } from '../failure.ts';
import { functionsUrlOf } from '../http.ts';
import { checkedUrl, requireLocal } from '../ledger.ts';
import { dataDirOf, fromEnvironment, type LocalOptions, withLocal } from '../options.ts';
import { print } from '../output.ts';
import type { Session } from '../session.ts';
import { remoteStatus, renderStatus, statusOf } from '../status-document.ts';
import { defaultTenantOf } from '../tenants.ts';

export function registerStatus(program: Command, session: Session): void {
  withLocal(program.command('status'))
    .description('where the ledger is and how it is')
    .option('--url <url>', 'ask this ledger instead of the local stack (OUTCOME_LEDGER_URL)')
    .action(async (options: LocalOptions & { url?: string }) => {
      const url = options.url ?? (options.dataDir === undefined ? fromEnvironment('OUTCOME_LEDGER_URL') : undefined);
      const document = url === undefined ? await localStatus(options) : await urlStatus(url);
      print(session.terminal, options.json, document, () => renderStatus(document, session.terminal.colour));
    });
}

async function localStatus(options: LocalOptions) {
  const stack = await requireLocal(dataDirOf(options));
  return statusOf(stack, await defaultTenantOf(stack));
}

async function urlStatus(url: string) {
  const document = await remoteStatus(functionsUrlOf(checkedUrl(url)));
  if (Object.values(document.health.functions).every((word) => word === 'down')) {
    throw unreachable(`${document.functions_url} does not answer`, 'check --url / OUTCOME_LEDGER_URL');
  }
  return document;
}

import type { Command } from 'commander';
import { runChild } from '../child.ts';
import { preflight } from '../failure.ts';
import { findProgram } from '../find-program.ts';
import { startLocal } from '../local-stack.ts';
import { withJson } from '../options.ts';
import type { Session } from '../session.ts';

const TOKEN_SECONDS = 86_400;

export function registerExec(program: Command, session: Session): void {
  withJson(program.command('exec'))
    .description('run a command against a temporary ledger, and pass its exit code through')
    .argument('<command...>', 'the command after --, with its arguments')
    .option('--closed', 'the tenant refuses undefined sources')
    .option('--no-spawn', 'refuse to start anything (exit 2)')
    .passThroughOptions()
    .action(async ([name = '', ...args]: string[], options: { closed?: boolean; spawn: boolean }) => {
      if (!options.spawn) {
        throw preflight('spawn_forbidden', 'exec needs a temporary ledger, and --no-spawn forbids starting one');
      }
      const found = findProgram(name);
      if (found === null) throw preflight('command_not_found', `there is no command '${name}'`);
      const stack = await startLocal(session.terminal, {});
      try {
        const { tenantId } = await stack.createTenant({ name: 'exec', open: options.closed !== true });
        const token = await stack.mintToken({
          tenantId,
          role: 'orchestrator',
          actorId: 'exec',
          expiresInSeconds: TOKEN_SECONDS,
        });
        const env = {
          ...process.env,
          OUTCOME_LEDGER_URL: stack.functionsUrl,
          OUTCOME_LEDGER_TOKEN: token,
          OUTCOME_LEDGER_DATABASE_URL: stack.databaseUrl,
          OUTCOME_LEDGER_TENANT: tenantId,
          OUTCOME_LEDGER_DATA_DIR: stack.dataDir,
        };
        session.exit = await runChild(found, args, { env });
      } finally {
        await stack.stop();
      }
    });
}

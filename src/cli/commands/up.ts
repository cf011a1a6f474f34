import { type Command, Option } from 'commander';
import { preflight, unreachable } from '../failure.ts';
import { firstSteps } from '../first-steps.ts';
import { defaultGraph } from '../graph-options.ts';
import { attachLocal, type LocalStack, lostFailure, startOrAttach } from '../local-stack.ts';
import { databaseUrlOf, databaseUrlOption, dataDirOf, type LocalOptions, wholeNumber, withLocal } from '../options.ts';
import { print } from '../output.ts';
import { ownCommand } from '../own-command.ts';
import type { Session } from '../session.ts';
import { startDetached } from '../start-detached.ts';
import { renderStatus, type StatusDocument, statusOf } from '../status-document.ts';
import { ensureDefaultTenant } from '../tenants.ts';
import { untilStopped } from '../until-stopped.ts';

interface UpOptions extends LocalOptions {
  detach?: boolean;
  port?: number;
  databaseUrl?: string;
  graph?: LocalStack['graph'];
}

export function registerUp(program: Command, session: Session): void {
  withLocal(program.command('up'))
    .description('start the local stack (or attach to it) and say where everything is')
    .option('-d, --detach', 'leave it running in the background')
    .option('--port <n>', 'port of the functions (default: a free one)', wholeNumber(1, 65_535))
    .addOption(databaseUrlOption('use this empty or ledger database instead of the embedded one'))
    .addOption(
      new Option(
        '--graph <kind>',
        'graph that mirrors the lineage (default: embedded where installed); neo4j: of NEO4J_URI, else one started here',
      ).choices(['embedded', 'neo4j', 'none']),
    )
    .action(async (options: UpOptions) => {
      const dataDir = dataDirOf(options);
      const running = await attachLocal(dataDir);
      if (running) {
        noteOtherGraph(session, options, running);
        return announce(session, options, running, true);
      }
      if (!options.spawn) {
        throw unreachable(
          `no stack runs on ${dataDir}, and --no-spawn forbids starting one`,
          'outcome-ledger up --detach',
        );
      }
      const graph = options.graph ?? defaultGraph(session.terminal);
      if (options.detach) {
        const stack = await startDetached(session.terminal, dataDir, { ...options, graph });
        return announce(session, options, stack, false);
      }
      await runForeground(session, { ...options, graph }, dataDir);
    });
}

async function runForeground(session: Session, options: UpOptions, dataDir: string): Promise<void> {
  const signalled = untilStopped();
  const databaseUrl = databaseUrlOf(options.databaseUrl);
  const { port, graph } = options;
  const { stack, own } = await startOrAttach(session.terminal, { dataDir, port, databaseUrl, graph });
  if (!own) return announce(session, options, stack, true);
  try {
    await announce(session, options, stack, false);
    if (!options.json) session.terminal.err(session.terminal.errColour.dim('running; Ctrl-C stops it'));
    // `down` in another terminal stops it too.
    await Promise.race([signalled, stack.stopped.catch((error: unknown) => Promise.reject(lostFailure(error)))]);
  } finally {
    await stack.stop();
  }
}

function noteOtherGraph({ terminal }: Session, { graph }: UpOptions, stack: LocalStack): void {
  if (graph === undefined || graph === stack.graph) return;
  terminal.err(`the running stack has --graph ${stack.graph}; to change it: outcome-ledger down, then up again`);
}

async function announce(session: Session, options: UpOptions, stack: LocalStack, attached: boolean): Promise<void> {
  const { terminal } = session;
  const tenantId = await ensureDefaultTenant(stack);
  const status: StatusDocument & { attached: boolean } = { ...(await statusOf(stack, tenantId)), attached };
  if (status.health.status === 'down') {
    throw preflight(
      'stack_unwell',
      `the functions at ${status.functions_url} do not answer`,
      'outcome-ledger down, then up again',
    );
  }
  print(terminal, options.json, status, () =>
    [
      terminal.colour.bold(attached ? 'attached to the running stack' : 'the ledger is up'),
      renderStatus(status, terminal.colour),
      '',
      firstSteps(status, ownCommand(), terminal.colour),
    ].join('\n'),
  );
}

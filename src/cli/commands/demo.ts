import type { Command } from 'commander';
import type { Seen } from '../demo/checks.ts';
import { EXIT } from '../exit.ts';
import { unreachable } from '../failure.ts';
import { defaultGraph } from '../graph-options.ts';
import { attachLocal, type LocalStack, startLocal } from '../local-stack.ts';
import { dataDirOf, type LocalOptions, withLocal } from '../options.ts';
import { print } from '../output.ts';
import { ownCommand } from '../own-command.ts';
import type { Colour } from '../render/colour.ts';
import { withProgress } from '../render/progress.ts';
import { showDuration } from '../render/time.ts';
import type { Session } from '../session.ts';
import { startDetached } from '../start-detached.ts';
import { untilStopped } from '../until-stopped.ts';

interface DemoOptions extends LocalOptions {
  keep?: boolean;
}

export function registerDemo(program: Command, session: Session): void {
  withLocal(program.command('demo'))
    .description(
      'play a workflow with a guard and ten agents, ask why, and try what must be refused (exit 1 when it surprises)',
    )
    .option('--keep', 'play on the stack of the data directory (started if needed) and leave it running')
    .action(async (options: DemoOptions) => {
      const started = Date.now();
      const interrupted = untilStopped();
      const { stack, leave } = await stageOf(session, options);
      try {
        const signal = await Promise.race([perform(session, options, stack, leave, started), interrupted]);
        if (signal) session.exit = 130;
      } finally {
        if (!leave) await stack.stop();
      }
    });
}

/** A temporary stack that goes with the demo; with --keep or --no-spawn the data directory's own, which stays. */
async function stageOf(session: Session, options: DemoOptions): Promise<{ stack: LocalStack; leave: boolean }> {
  if (options.spawn && !options.keep) {
    const graph = defaultGraph(session.terminal);
    // It kills a worker itself and tells of it; the notice of that death would look like trouble.
    return { stack: await startLocal(session.terminal, { graph, onNotice: () => undefined }), leave: false };
  }
  const dataDir = dataDirOf(options);
  const running = await attachLocal(dataDir);
  if (running) return { stack: running, leave: true };
  if (!options.spawn) {
    throw unreachable(`no stack runs on ${dataDir}, and --no-spawn forbids starting one`, 'outcome-ledger up --detach');
  }
  const graph = defaultGraph(session.terminal);
  return { stack: await startDetached(session.terminal, dataDir, { graph }), leave: true };
}

async function perform(
  session: Session,
  options: DemoOptions,
  stack: LocalStack,
  kept: boolean,
  started: number,
): Promise<undefined> {
  // The client and what it brings are loaded by the one command that uses them.
  const [{ runDemo, DEMO_STEPS }, { checkSeen }, { renderReport }] = await Promise.all([
    import('../demo/run.ts'),
    import('../demo/checks.ts'),
    import('../demo/report.ts'),
  ]);
  const { terminal } = session;
  const bar = { watched: terminal.watched, total: DEMO_STEPS };
  const seen = await withProgress('the demo', bar, (progress) => runDemo(stack, progress));
  const checks = checkSeen(seen);
  const succeeded = checks.every((check) => check.ok);
  const duration_ms = Date.now() - started;
  const document = { ...documentOf(seen), checks, succeeded, duration_ms, kept: kept ? stack.dataDir : null };
  print(terminal, options.json, document, () =>
    [
      renderReport(seen, checks, terminal.colour, terminal.width),
      terminal.colour.dim(`in ${showDuration(duration_ms)}, the start of the ledger included`),
      ...(kept ? [nextSteps(stack, seen, terminal.colour)] : []),
    ].join('\n'),
  );
  if (!succeeded) session.exit = EXIT.failed;
}

function documentOf({ cast, played, sales, outcomes, why, gaps, refusals, graph }: Seen) {
  const { tenantId: tenant_id, correlationId: correlation_id } = cast;
  return {
    tenant_id,
    correlation_id,
    workflow: played.workflow,
    outcomes,
    sales,
    why,
    gaps: gaps.items,
    refusals,
    graph,
  };
}

function nextSteps(stack: LocalStack, { cast, played }: Seen, colour: Colour): string {
  const where = `--data-dir ${stack.dataDir} --tenant ${cast.tenantId}`;
  return [
    '',
    colour.dim('# the ledger is still running'),
    `${ownCommand()} outcome show ${played.workflow.outcome_id} ${where}`,
    `${ownCommand()} correlation ${cast.correlationId} ${where}`,
    `${ownCommand()} down --data-dir ${stack.dataDir}`,
  ].join('\n');
}

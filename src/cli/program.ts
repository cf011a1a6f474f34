import { Command, CommanderError } from 'commander';
import { registerActor } from './commands/actor.ts';
import { registerCancel } from './commands/cancel.ts';
import { registerCorrelation } from './commands/correlation.ts';
import { registerCypher } from './commands/cypher.ts';
import { registerDemo } from './commands/demo.ts';
import { registerDoctor } from './commands/doctor.ts';
import { registerDown } from './commands/down.ts';
import { registerEnvelope } from './commands/envelope.ts';
import { registerEpoch } from './commands/epoch.ts';
import { registerExec } from './commands/exec.ts';
import { registerGaps } from './commands/gaps.ts';
import { registerGate } from './commands/gate.ts';
import { registerHitl } from './commands/hitl.ts';
import { registerImpact } from './commands/impact.ts';
import { registerInit } from './commands/init.ts';
import { registerJudgment } from './commands/judgment.ts';
import { registerOutcome } from './commands/outcome.ts';
import { registerPhase } from './commands/phase.ts';
import { registerPolicy } from './commands/policy.ts';
import { registerRoles } from './commands/roles.ts';
import { registerSql } from './commands/sql.ts';
import { registerStats } from './commands/stats.ts';
import { registerStatus } from './commands/status.ts';
import { registerSweep } from './commands/sweep.ts';
import { registerSync } from './commands/sync.ts';
import { registerTenant } from './commands/tenant.ts';
import { registerToken } from './commands/token.ts';
import { registerUp } from './commands/up.ts';
import { registerVerify } from './commands/verify.ts';
import { registerWait } from './commands/wait.ts';
import { registerWhy } from './commands/why.ts';
import { registerWorkers } from './commands/workers.ts';
import { EXIT } from './exit.ts';
import { Failure, usage } from './failure.ts';
import { printFailure } from './output.ts';
import type { Session } from './session.ts';
import type { Terminal } from './terminal.ts';
import { version } from './version.ts';

const REGISTER = [
  registerUp,
  registerDown,
  registerStatus,
  registerDemo,
  registerExec,
  registerInit,
  registerDoctor,
  registerToken,
  registerTenant,
  registerActor,
  registerOutcome,
  registerWhy,
  registerImpact,
  registerCorrelation,
  registerGaps,
  registerHitl,
  registerCancel,
  registerPolicy,
  registerSweep,
  registerEnvelope,
  registerPhase,
  registerJudgment,
  registerVerify,
  registerGate,
  registerWait,
  registerStats,
  registerSql,
  registerCypher,
  registerSync,
  registerWorkers,
  registerRoles,
  registerEpoch,
];

/** Runs one command line and gives its exit code; prints everything it has to say. */
export async function run(args: readonly string[], terminal: Terminal): Promise<number> {
  const session: Session = { terminal, exit: EXIT.ok };
  const program = buildProgram(session);
  try {
    await program.parseAsync([...args], { from: 'user' });
    return session.exit;
  } catch (error) {
    if (error instanceof CommanderError) return exitOfCommander(error, args, terminal);
    if (error instanceof Failure) {
      printFailure(terminal, wantsJson(args), error);
      return error.exit;
    }
    printFailure(terminal, wantsJson(args), unexpected(error));
    return EXIT.failed;
  }
}

export function buildProgram(session: Session): Command {
  const { terminal } = session;
  const program = new Command('outcome-ledger')
    .description(
      'Every agent invocation and workflow execution ends in exactly one immutable outcome; ask what caused it.',
    )
    .version(version(), '--version', 'print the version')
    .helpOption('-h, --help', 'show help')
    .showSuggestionAfterError()
    .enablePositionalOptions();
  for (const register of REGISTER) register(program, session);
  program.addHelpText(
    'after',
    `\nExit codes: 0 done · 1 failed, invalid, not found or in conflict · 2 refused before anything was written · 3 parked`,
  );
  // Errors are printed as problems, once; only the help of a bare `outcome-ledger` goes through.
  const writeErr = (text: string) => text.startsWith('Usage:') && terminal.err(text);
  // Commander copies these to a subcommand only when it is made, so they are set on all of them afterwards.
  for (const command of everyCommand(program)) {
    command.exitOverride().configureOutput({ writeOut: (text) => terminal.out(text), writeErr });
  }
  return program;
}

function everyCommand(command: Command): Command[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

function exitOfCommander(error: CommanderError, args: readonly string[], terminal: Terminal): number {
  if (error.exitCode === 0) return EXIT.ok;
  // A bare `outcome-ledger` or `outcome-ledger tenant`: show what there is, but say that nothing was asked.
  const failure =
    error.code === 'commander.help'
      ? usage('a command is wanted', 'outcome-ledger help lists them')
      : usage(
          error.message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' '),
          'outcome-ledger help COMMAND shows its options',
        );
  printFailure(terminal, wantsJson(args), failure);
  return EXIT.refused;
}

/** Whether --json was asked, also when the line could not be parsed; what follows `--` belongs to another command. */
function wantsJson(args: readonly string[]): boolean {
  const end = args.indexOf('--');
  return args.slice(0, end < 0 ? undefined : end).includes('--json');
}

function unexpected(error: unknown): Failure {
  const shown = error instanceof Error ? error : new Error(String(error));
  const trace = process.env['OUTCOME_LEDGER_DEBUG'] ? shown.stack : undefined;
  return new Failure(
    {
      code: 'internal_error',
      title: 'This should not have happened',
      detail: shown.message,
      trace,
      remedy: trace ? undefined : 'OUTCOME_LEDGER_DEBUG=1 shows where',
    },
    EXIT.failed,
    { cause: error },
  );
}

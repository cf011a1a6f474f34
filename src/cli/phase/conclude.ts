import { type Command, InvalidArgumentError, Option } from 'commander';
import { conclusionBody } from '../../client/conclusion-body.ts';
import type { ConcludedPhase, PhaseConclusion } from '../../client/phase-documents.ts';
import { EXIT } from '../exit.ts';
import { postLarge } from '../http.ts';
import { openLedger } from '../ledger.ts';
import { type LedgerOptions, uuid, withLedger } from '../options.ts';
import { print } from '../output.ts';
import { bytesOf } from '../read-file.ts';
import { clean } from '../render/clean.ts';
import { renderConclusion } from '../render/phase.ts';
import type { Session } from '../session.ts';
import { MESSAGES_FORMATS, type MessagesFormat, messagesOf } from './messages.ts';
import { requireSendable } from './sendable.ts';
import { inWorkspace } from './workspace.ts';

interface ConcludeOptions extends LedgerOptions {
  messages: string;
  messagesFormat?: MessagesFormat;
  exitCode: number | 'none';
  cancelled?: boolean;
  timedOut?: boolean;
  interrupted?: boolean;
  streamBroken?: boolean;
  workspace?: string;
  name?: string;
  outputType?: string[];
  as: string;
}

export function registerConclude(phase: Command, session: Session): void {
  withLedger(phase.command('conclude'))
    .description('end a run of an agent by what it said, what was observed of it and what it left')
    .argument('<invocation-id>', 'the invocation', uuid)
    .requiredOption('--messages <file>', 'what the agent said: JSON array, JSON lines or text; - for standard input')
    .addOption(
      new Option('--messages-format <format>', 'take it as this and as nothing else').choices(MESSAGES_FORMATS),
    )
    .requiredOption('--exit-code <n>', 'exit code of its process; none when it left none', exitCode)
    .option('--cancelled', 'it was cancelled')
    .option('--timed-out', 'it ran past its time')
    .option('--interrupted', 'it was interrupted')
    .option('--stream-broken', 'its output broke off')
    .option('--workspace <dir>', 'the directory it worked in, of which artifacts/output/ is collected')
    .option('--name <name>', 'the name of the phase, for titles (default: that of the step)')
    .option('--output-type <type...>', 'what the phase was to produce')
    .option('--as <actor>', 'who concludes, on the local stack (elsewhere the token says it)', 'local-orchestrator')
    .action((id: string, options: ConcludeOptions) => conclude(id, options, session));
}

async function conclude(id: string, options: ConcludeOptions, session: Session): Promise<void> {
  const { terminal } = session;
  const { messages, notes } = messagesOf(await bytesOf(options.messages), options.messages, options.messagesFormat);
  const { files, skipped } = await collected(options.workspace);
  const conclusion: PhaseConclusion = {
    messages,
    observation: {
      exit_code: options.exitCode === 'none' ? null : options.exitCode,
      stream_intact: !options.streamBroken,
      cancelled: options.cancelled ?? false,
      timed_out: options.timedOut ?? false,
      interrupted: options.interrupted ?? false,
    },
    files,
    phase: { name: options.name, output_types: options.outputType },
  };
  const ledger = await openLedger(options, { role: 'orchestrator', actorId: options.as });
  const path = `/invocations/${id}/conclude`;
  const body = conclusionBody(conclusion);
  requireSendable(body);
  for (const note of notes) terminal.err(clean(note));
  const { document, replayed } = await postLarge<ConcludedPhase>(ledger, path, body);
  for (const { path: name, reason } of skipped) terminal.err(`not collected: ${clean(name)}: ${reason}`);
  print(terminal, options.json, { ...document, replayed, skipped }, () =>
    renderConclusion(document, replayed, terminal.colour),
  );
  if (document.phase_status !== 'completed') session.exit = EXIT.failed;
}

async function collected(workspace: string | undefined) {
  if (workspace === undefined) return { files: [], skipped: [] };
  const { collectOutput } = await import('../../runner/index.ts');
  return inWorkspace(() => collectOutput(workspace));
}

/** Not null for none: that is an option without its value to the parser. */
function exitCode(text: string): number | 'none' {
  if (text === 'none') return text;
  if (!/^-?\d{1,10}$/.test(text)) throw new InvalidArgumentError('a whole number is wanted, or none');
  return Number(text);
}

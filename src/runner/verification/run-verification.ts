import { statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { setTimeout as pause, setImmediate } from 'node:timers/promises';
import { type ProcessEvidence, verificationOf } from '../../contract/judgment/process-evidence.ts';
import type { RecordedVerification } from '../../contract/judgment/words.ts';
import { commandText } from './command-text.ts';
import { Output } from './output.ts';
import { type LeaderEnd, type ProcessGroup, startGroup } from './process-group.ts';

export interface VerificationCommand {
  /** One text for `/bin/sh -c`, or a program and its arguments. */
  command: string | readonly string[];
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** Milliseconds until it is ended, with all that it started. */
  limitMs: number;
  /** Ends it early; nobody then saw how it would have ended. */
  signal?: AbortSignal;
  onOutput?: (chunk: Buffer) => void;
}

/** What was observed of a verification. Nothing that it printed decides. */
export interface VerificationRun {
  verification: RecordedVerification;
  process: ProcessEvidence;
  /** What was run, for people; at most 4,000 characters. */
  command: string;
  duration_ms: number;
  output_bytes: number;
  /** SHA-256 of stdout and stderr as they came, in hex. */
  output_sha256: string;
  /** Its last part, at most 4 KiB. */
  output_excerpt: string;
  /** Why it could not answer, in a line for people; null where it did. */
  fault: string | null;
}

/** Between SIGTERM and SIGKILL, and for output that somebody still holds open after the end. */
const GRACE_MS = { term: 2_000, kill: 2_000, output: 500 };

/** More than a timer can count makes it fire at once. */
const MOST_MS = 2 ** 31 - 1;

/** Looked at after a bad end. Tests put another in its place. */
export type FreeBlocks = (folder: string) => Promise<number>;
const freeBlocks: FreeBlocks = async (folder) => {
  const { blocks, bavail } = await statfs(folder);
  // What counts no blocks at all (/proc, some network file systems) is never full.
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail;
};

/**
 * Runs a verification in a process group of its own and says how its process ended. Resolves whatever it does.
 *
 * @throws TypeError for an empty command, or a limit that is no whole number from 1 to 2,147,483,647
 */
export async function runVerification(
  { command, cwd, env, limitMs, signal, onOutput }: VerificationCommand,
  free: FreeBlocks = freeBlocks,
): Promise<VerificationRun> {
  const argv = argvOf(command);
  if (!(Number.isSafeInteger(limitMs) && limitMs > 0 && limitMs <= MOST_MS)) {
    throw new TypeError(`limitMs must be a whole number from 1 to ${MOST_MS}`);
  }
  const started = performance.now();
  const output = new Output();
  const group = startGroup(argv, { cwd, env });
  let unread: string | null = null;
  for (const stream of group.outputs) {
    stream.on('data', (chunk: Buffer) => {
      output.take(chunk);
      onOutput?.(chunk);
    });
    stream.on('error', (error) => {
      unread = `its output could not be read: ${error.message}`;
    });
  }
  const stopped = await endOf(group, limitMs, signal);
  await outputsEnd(group);
  // What it left running may not go on beside the next one.
  group.close();
  const { end, by } = stopped;
  const error = 'error' in end ? end.error : null;
  const exit_code = 'error' in end ? null : end.code;
  const full = by === null && error === null && exit_code !== 0 ? await fullDisk(cwd, free) : null;
  const process: ProcessEvidence = {
    started: error === null,
    timed_out: by === 'limit',
    system_fault: unread !== null || full !== null,
    signal: 'error' in end ? null : end.signal,
    exit_code,
  };
  const verification = by === 'abort' ? 'unobserved' : verificationOf(process);
  const { bytes, sha256, excerpt } = output.done();
  return {
    verification,
    process,
    command: commandText(command),
    duration_ms: Math.round(performance.now() - started),
    output_bytes: bytes,
    output_sha256: sha256,
    output_excerpt: excerpt,
    fault: verification === 'infrastructure_failure' ? (error?.message ?? unread ?? full ?? faultOf(process)) : null,
  };
}

function argvOf(command: string | readonly string[]): [string, ...string[]] {
  const argv = typeof command === 'string' ? ['/bin/sh', '-c', command] : command;
  const [program, ...args] = argv;
  if (!program || (typeof command === 'string' && command.trim() === '')) throw new TypeError('the command is empty');
  return [program, ...args];
}

const NO_END: LeaderEnd = { code: null, signal: null };

/** Waits for the leader; past its limit, or when told to, the whole group is ended. */
async function endOf(
  group: ProcessGroup,
  limitMs: number,
  signal: AbortSignal | undefined,
): Promise<{ end: LeaderEnd; by: 'limit' | 'abort' | null }> {
  const waiting = new AbortController();
  const aborted = new Promise<'abort'>((resolve) => {
    if (signal?.aborted) resolve('abort');
    signal?.addEventListener('abort', () => resolve('abort'), { once: true, signal: waiting.signal });
  });
  const late = pause(limitMs, 'limit' as const, { signal: waiting.signal }).catch(() => 'limit' as const);
  const first = await Promise.race([group.ended, late, aborted]);
  waiting.abort();
  if (typeof first !== 'string') return { end: first, by: null };
  group.signal('SIGTERM');
  const gone = new AbortController();
  const kill = pause(GRACE_MS.term, null, { signal: gone.signal }).then(
    () => group.signal('SIGKILL'),
    () => undefined,
  );
  // What runs as somebody else, or hangs in the kernel, outlives even SIGKILL: nobody waits for it for ever.
  const never = pause(GRACE_MS.term + GRACE_MS.kill, NO_END, { signal: gone.signal }).catch(() => NO_END);
  const end = await Promise.race([group.ended, never]);
  gone.abort();
  await kill;
  return { end, by: first };
}

/** The pipes end with the last process that holds them, which may be one that left the group: it is not waited for. */
async function outputsEnd({ outputs }: ProcessGroup): Promise<void> {
  const streams = outputs.filter((stream) => !stream.closed);
  const closed = Promise.all(streams.map((stream) => new Promise((resolve) => stream.once('close', resolve))));
  const waiting = new AbortController();
  await Promise.race([closed, pause(GRACE_MS.output, null, { signal: waiting.signal }).catch(() => undefined)]);
  waiting.abort();
  // A busy event loop may come here with output still unread in the pipe: one more look.
  await setImmediate();
  for (const stream of streams) stream.destroy();
}

/** A disk without room makes any program fail, each in words of its own; so the room is asked for, and not the words read. */
async function fullDisk(cwd: string | undefined, free: FreeBlocks): Promise<string | null> {
  for (const folder of [cwd ?? process.cwd(), tmpdir()]) {
    if ((await free(folder).catch(() => 1)) === 0) return `there is no room left on the disk of ${folder}`;
  }
  return null;
}

function faultOf({ signal, exit_code }: ProcessEvidence): string {
  if (signal !== null) return `it was ended by ${signal}`;
  if (exit_code === 127) return 'a shell found no such command (exit code 127)';
  return exit_code === 126 ? 'a command could not be executed (exit code 126)' : 'it gave no result';
}

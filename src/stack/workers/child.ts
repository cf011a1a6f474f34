import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { killWhenSilent } from './liveness.ts';
import { OVERRUN_MESSAGE } from './overrun.ts';

export interface ChildOrder {
  /** Arguments of Node: the program, its command, its options. */
  args: string[];
  /** Secrets go this way: arguments are readable by everyone on the machine. */
  env: Record<string, string>;
  /** What the child says is appended here. */
  logFile: string;
}

/** A process of workers that serves. */
export interface WorkerChild {
  pid: number;
  /** Of its health, metrics and control: `http://127.0.0.1:PORT`. */
  url: string;
  /** Resolves with how it ended: `code 1`, `SIGKILL`. */
  exited: Promise<string>;
  /** Does it end itself over a query that nothing else ends? That is no sign that it is unwell. */
  readonly overran: boolean;
  /** The end of what was said into the log since its start; other workers write there, too. */
  lastWords(): string;
  /** Lets it finish its batch. */
  stop(): Promise<void>;
}

/** The child ended, or said nothing for too long, before it served. */
export class WorkerNotStarted extends Error {
  readonly code: string = 'worker_not_started';
  readonly remedy: string;

  constructor(how: string, logFile: string, said: Said | undefined) {
    super(`the sync worker did not start: ${said?.detail ?? `it ended with ${how}`}`);
    this.name = 'WorkerNotStarted';
    if (said) this.code = said.code;
    this.remedy = said?.remedy ?? `read ${logFile}, or start without a graph: --graph none`;
  }
}

const STOP_WITHIN_MS = 20_000;
const LAST_WORDS = 4_000;
/** Even on a machine that does much else; it opens neither side before it listens. */
const STARTS_WITHIN_MS = 120_000;

/**
 * Starts a process of workers and waits until it serves. It ends by itself when this process does, however.
 *
 * @throws WorkerNotStarted
 */
export async function startChild({ args, env, logFile }: ChildOrder): Promise<WorkerChild> {
  const log = openSync(logFile, 'a', 0o600);
  const logStart = statSync(logFile).size;
  let child: ChildProcess;
  try {
    child = spawn(process.execPath, args, {
      env: { ...process.env, ...env },
      // The channel tells us where it listens, and tells it of our death.
      stdio: ['ignore', log, log, 'ipc'],
      // Out of the terminal's process group: Ctrl-C reaches us alone, and we stop it in order.
      detached: true,
    });
  } finally {
    closeSync(log);
  }
  const exited = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) => resolve(signal ?? `code ${code}`));
    child.once('error', (error) => resolve(error.message));
  });
  let overran = false;
  const listening = new Promise<string>((resolve) => {
    child.on('message', (message: { listening?: string; ending?: string }) => {
      if (message.listening) resolve(message.listening);
      if (message.ending === OVERRUN_MESSAGE.ending) overran = true;
    });
  });
  const silent = setTimeout(() => child.kill('SIGKILL'), STARTS_WITHIN_MS);
  const url = await Promise.race([listening, exited.then(() => undefined)]);
  clearTimeout(silent);
  if (url === undefined) {
    const how = await exited;
    throw new WorkerNotStarted(how, logFile, lastProblem(logFile, logStart));
  }
  void killWhenSilent({ url, exited, kill: () => child.kill('SIGKILL') });
  // Neither keeps this process alive.
  child.unref();
  child.channel?.unref();
  return {
    pid: child.pid as number,
    url,
    exited,
    get overran() {
      return overran;
    },
    lastWords: () => saidSince(logFile, logStart).slice(-LAST_WORDS),
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.ref();
      child.kill('SIGTERM');
      const late = sleep(STOP_WITHIN_MS, 'late', { ref: false });
      if ((await Promise.race([exited, late])) === 'late') child.kill('SIGKILL');
      await exited;
    },
  };
}

/** A log that was taken away says nothing. */
function saidSince(logFile: string, from: number): string {
  try {
    return readFileSync(logFile).subarray(from).toString();
  } catch {
    return '';
  }
}

interface Said {
  code: string;
  detail: string;
  remedy?: string;
}

/** The problem that a command which was refused prints as JSON at its end. */
function lastProblem(logFile: string, from: number): Said | undefined {
  const said = saidSince(logFile, from);
  const start = said.lastIndexOf('\n{\n') + 1 || said.indexOf('{\n');
  // Other workers write their lines into the same log, also behind it.
  const end = said.indexOf('\n}', start) + 2;
  try {
    const problem = JSON.parse(said.slice(start, end)) as Said;
    return typeof problem.code === 'string' ? problem : undefined;
  } catch {
    return undefined;
  }
}

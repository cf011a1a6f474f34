import { spawn } from 'node:child_process';
import { mkdirSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { Failure, preflight } from './failure.ts';
import { attachLocal, type LocalStack } from './local-stack.ts';
import { ownArguments } from './own-command.ts';
import { withProgress } from './render/progress.ts';
import type { Terminal } from './terminal.ts';

const LONGEST_START_MS = 120_000;

export interface DetachedOptions {
  port?: number;
  databaseUrl?: string;
  graph?: LocalStack['graph'];
}

/** Starts `up` as a process of its own and waits until it serves; what it says goes to up.log in the data directory. */
export async function startDetached(
  terminal: Terminal,
  dataDir: string,
  options: DetachedOptions,
): Promise<LocalStack> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const log = join(dataDir, 'up.log');
  const out = openSync(log, 'w', 0o600);
  const args = ['up', '--json', '--data-dir', dataDir];
  if (options.port !== undefined) args.push('--port', String(options.port));
  if (options.graph !== undefined) args.push('--graph', options.graph);
  // By environment, not by argument: arguments are readable by everyone on the machine, and the URL holds a password.
  const env = options.databaseUrl ? { ...process.env, OUTCOME_LEDGER_DATABASE_URL: options.databaseUrl } : process.env;
  const child = spawn(process.execPath, [...ownArguments(), ...args], {
    detached: true,
    stdio: ['ignore', out, out],
    env,
  });
  let ended: string | undefined;
  child.once('error', (error) => {
    ended = error.message;
  });
  child.once('exit', (code, signal) => {
    ended = `it ended with ${signal ?? `code ${code}`}`;
  });
  child.unref();
  return withProgress('starting', { watched: terminal.watched, total: 1 }, async () => {
    for (const end = Date.now() + LONGEST_START_MS; Date.now() < end; await wait(150)) {
      // Another `up` may have won the lock; then its stack is the one to attach to.
      const stack = await attachLocal(dataDir);
      if (stack) return stack;
      if (ended !== undefined) throw failed(log, ended);
    }
    throw failed(log, `it did not serve within ${LONGEST_START_MS / 1000} s`);
  });
}

function failed(log: string, how: string): Failure {
  const said = readFileSync(log, 'utf8').trim();
  const problem = lastProblem(said);
  if (problem) return new Failure({ ...problem, log });
  return preflight('start_failed', `the stack did not start: ${how}`, `read ${log}`);
}

/** The child prints its problem as JSON on stdout, which is the end of the log. */
function lastProblem(said: string): { code: string; detail: string } | undefined {
  const start = said.lastIndexOf('\n{\n');
  try {
    const { exit_code: _, ...problem } = JSON.parse(said.slice(start < 0 ? said.indexOf('{') : start));
    return typeof problem.code === 'string' ? problem : undefined;
  } catch {
    return undefined;
  }
}

import { setTimeout as wait } from 'node:timers/promises';
import type { Stack, StackOptions } from '../stack/stack.ts';
import { EXIT } from './exit.ts';
import { Failure, preflight } from './failure.ts';
import { withProgress } from './render/progress.ts';
import type { Terminal } from './terminal.ts';

export type LocalStack = Stack;

/** What a first start says on its way: Postgres, roles, migrations, functions. The bar grows when it says more. */
const USUAL_STEPS = 6;
const LONGEST_WAIT_MS = 60_000;
/** A temporary ledger is deleted with its process: nothing of it has to survive a power cut. */
const UNSAFE_AND_FAST = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/** The stack that runs on this data directory, or null. The stack's code is loaded only when it is needed. */
export async function attachLocal(dataDir: string): Promise<LocalStack | null> {
  const { attach } = await import('../stack/attach.ts');
  return (await attach(dataDir)) ?? null;
}

/** Starts a stack in this process, under a progress bar; whatever stands in the way is a failed preflight (exit 2). */
export async function startLocal(terminal: Terminal, options: StackOptions): Promise<LocalStack> {
  const { startStack } = await import('../stack/start.ts');
  return withProgress('starting', { watched: terminal.watched, total: USUAL_STEPS }, async (progress) => {
    try {
      const postgresSettings = options.dataDir === undefined ? UNSAFE_AND_FAST : undefined;
      return await startStack({ postgresSettings, ...options, onProgress: (text) => progress.step(text) });
    } catch (error) {
      throw startFailure(error, options);
    }
  });
}

/**
 * Starts a stack on a data directory, or attaches when another `up` won the race for it.
 * `own` tells which: only an own stack is stopped with this process.
 */
export async function startOrAttach(
  terminal: Terminal,
  options: StackOptions & { dataDir: string },
): Promise<{ stack: LocalStack; own: boolean }> {
  try {
    return { stack: await startLocal(terminal, options), own: true };
  } catch (error) {
    if ((error as Failure).problem?.code !== 'stack_running') throw error;
    // Its holder takes the lock first and serves later.
    for (const end = Date.now() + LONGEST_WAIT_MS; Date.now() < end; await wait(200)) {
      const stack = await attachLocal(options.dataDir);
      if (stack) return { stack, own: false };
    }
    throw error;
  }
}

function startFailure(error: unknown, options: StackOptions): Failure {
  const { code, message = String(error), remedy } = error as { code?: string; message?: string; remedy?: string };
  if (code === 'EADDRINUSE') {
    const port = options.port ?? 'asked for';
    return preflight('port_in_use', `port ${port} is in use`, 'choose another --port, or leave it out', error);
  }
  // The stack's own refusals carry a code in lower case; a system's or the database's does not.
  const known = code !== undefined && /^[a-z][a-z_]+$/.test(code);
  return preflight(known ? code : 'start_failed', message, remedy, error);
}

/** The stack gave up by itself: what it served is gone, what was recorded is not. */
export function lostFailure(error: unknown): Failure {
  const {
    code = 'stack_lost',
    message = String(error),
    remedy,
  } = error as {
    code?: string;
    message?: string;
    remedy?: string;
  };
  return new Failure({ code, title: 'The ledger stopped', detail: message, remedy }, EXIT.failed, { cause: error });
}

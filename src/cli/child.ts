import { type SpawnOptions, spawn } from 'node:child_process';
import { constants } from 'node:os';

const FORWARDED = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT', 'SIGUSR1', 'SIGUSR2'] as const;

/**
 * Runs a program in our place: its output is ours, signals sent to us reach it, and its exit code is the answer
 * (128 + n when signal n ended it, as shells say it).
 */
export async function runChild(command: string, args: readonly string[], options: SpawnOptions = {}): Promise<number> {
  let forward = (signal: NodeJS.Signals): unknown => early.push(signal);
  const early: NodeJS.Signals[] = [];
  // Listened to before the child is there: it may already run, and be known to run, before `spawn` returns.
  const handlers = FORWARDED.map((signal) => {
    const handler = () => forward(signal);
    process.on(signal, handler);
    return () => process.off(signal, handler);
  });
  try {
    const child = spawn(command, args, { stdio: 'inherit', ...options });
    forward = (signal) => {
      // A terminal's Ctrl-C reaches the whole group, the child included; we only have to survive it and wait.
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    };
    for (const signal of early) forward(signal);
    return await new Promise<number>((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code, signal) => resolve(code ?? 128 + (signal ? constants.signals[signal] : 0)));
    });
  } finally {
    for (const remove of handlers) remove();
  }
}

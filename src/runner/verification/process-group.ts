import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';

/** How a group's leader ended, or why there is none. */
export type LeaderEnd = { code: number | null; signal: NodeJS.Signals | null } | { error: Error };

/** A command that leads a process group of its own, so that all it starts can be ended with it. */
export interface ProcessGroup {
  readonly outputs: readonly Readable[];
  /** When the leader has ended or could not be started; its output may still come. */
  readonly ended: Promise<LeaderEnd>;
  /** To every process of the group; false when none is left. */
  signal(name: NodeJS.Signals): boolean;
  /** Ends what is left of it; to be called once nothing more is wanted of it. */
  close(): void;
}

export function startGroup(command: readonly [string, ...string[]], options: SpawnOptions): ProcessGroup {
  const [program, ...args] = command;
  let child: ChildProcess;
  try {
    child = spawn(program, args, { ...options, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  } catch (error) {
    // Some of what a system refuses is thrown, not told in an event: a command too long (E2BIG), no memory.
    if (!(error instanceof Error && 'syscall' in error)) throw error;
    return { outputs: [], ended: Promise.resolve({ error }), signal: () => false, close: () => undefined };
  }
  const signal = (name: NodeJS.Signals): boolean => {
    if (child.pid === undefined) return false;
    try {
      return process.kill(-child.pid, name);
    } catch {
      return false;
    }
  };
  // Whoever ends us must not leave it behind.
  const last = () => void signal('SIGKILL');
  process.on('exit', last);
  const ended = new Promise<LeaderEnd>((resolve) => {
    child.once('error', (error) => resolve({ error }));
    child.once('exit', (code, by) => resolve({ code, signal: by }));
  });
  const close = () => {
    signal('SIGKILL');
    process.off('exit', last);
  };
  // Without a file descriptor left there are no pipes at all, whatever the types say.
  const outputs = [child.stdout, child.stderr].filter((stream) => stream instanceof Object);
  return { outputs, ended, signal, close };
}

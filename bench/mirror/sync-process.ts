import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import path from 'node:path';
import { createInterface } from 'node:readline';

/** What `sync-child.ts` said: rows mirrored so far (or all of them, at the end of a rebuild), when, and its memory in MiB. */
export type Said = { at: number; rows?: number; done?: number; ms?: number; rss: number };

export interface SyncProcess {
  readonly child: ChildProcess;
  readonly said: Said[];
  /** Waits until it has mirrored so many rows. */
  mirrored(rows: number): Promise<void>;
  /** Waits until it ends by itself. */
  ended(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a worker in a process of its own. */
export function startSyncProcess(order: { url: string; graph: object; once?: boolean }): SyncProcess {
  const runner = createRequire(import.meta.url).resolve('vite-node/vite-node.mjs');
  const child = spawn(process.execPath, [runner, path.join(import.meta.dirname, 'sync-child.ts')], {
    env: { ...process.env, SYNC_ORDER: JSON.stringify(order) },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  const said: Said[] = [];
  let heard: () => void = () => undefined;
  createInterface({ input: child.stdout }).on('line', (line) => {
    said.push(JSON.parse(line));
    heard();
  });
  return {
    child,
    said,
    async mirrored(rows) {
      while ((said.at(-1)?.rows ?? -1) < rows) {
        if (child.exitCode !== null) throw new Error(`the worker ended with ${child.exitCode}`);
        await new Promise<void>((resolve) => {
          heard = resolve;
        });
      }
    },
    async ended() {
      const [code] = await exited;
      if (code !== 0) throw new Error(`the worker ended with ${code}`);
    },
    async stop() {
      child.kill('SIGTERM');
      await exited;
    },
  };
}

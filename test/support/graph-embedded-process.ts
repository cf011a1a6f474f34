// The writer of graph-embedded-writer.ts as a process, to be killed.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';
import { ROOT } from './tools.ts';

export interface WriterScript {
  start(directory: string, seed: number): WriterProcess;
  remove(): void;
}

export interface WriterProcess {
  /** What it has said, a line each: `open`, `at N`, `failed CODE MESSAGE`. */
  readonly lines: string[];
  /** The step after its last batch. */
  step(): number;
  /** Waits until `condition` holds. Throws when it ended before. */
  until(condition: () => boolean): Promise<void>;
  kill(): Promise<void>;
}

/** The script and all that is ours as plain JavaScript, so that a process of it starts at once; packages stay where they are. */
export async function buildWriter(): Promise<WriterScript> {
  const { build } = await import('vite');
  const cache = join(ROOT, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const outDir = mkdtempSync(join(cache, 'outcome-ledger-graph-writer-'));
  await build({
    configFile: false,
    root: ROOT,
    logLevel: 'error',
    build: {
      ssr: join(import.meta.dirname, 'graph-embedded-writer.ts'),
      outDir,
      target: 'node20',
      rollupOptions: { output: { entryFileNames: 'main.mjs', chunkFileNames: '[name].mjs' } },
    },
  });
  return {
    start: (directory, seed) => startWriter(join(outDir, 'main.mjs'), directory, seed),
    remove: () => rmSync(outDir, { recursive: true, force: true }),
  };
}

function startWriter(script: string, directory: string, seed: number): WriterProcess {
  const child: ChildProcess = spawn(process.execPath, [script, directory, String(seed)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  const lines: string[] = [];
  const heard = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  heard.on('line', (line) => lines.push(line));
  let over = false;
  const ended = Promise.all([exited, once(heard, 'close')]).then(() => {
    over = true;
  });
  return {
    lines,
    step: () => Number(lines.findLast((line) => line.startsWith('at '))?.slice(3) ?? 0),
    async until(condition) {
      while (!condition() && !over) await Promise.race([once(heard, 'line'), ended]);
      if (!condition()) throw new Error(`the writer ended before that: ${lines.slice(-3).join(' | ')}`);
    },
    async kill() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

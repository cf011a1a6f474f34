import { execFile, spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll } from 'vitest';

export interface CliRun {
  code: number | null;
  signal: NodeJS.Signals | null;
  stdout: string;
  stderr: string;
  /** stdout as JSON. */
  json(): Record<string, unknown>;
}

export interface RunOptions {
  env?: Record<string, string | undefined>;
  cwd?: string;
  stdin?: string | Uint8Array;
  /** Sent once stdout holds this text. */
  signalAfter?: { text: string; signal: NodeJS.Signals };
}

const root = path.resolve(import.meta.dirname, '../..');

/** The built command, run as users run it: `node main.js …`, in a folder of its own, with a bare environment. */
export function useCli(): { run(args: string[], options?: RunOptions): Promise<CliRun>; folder: string; main: string } {
  const outDir = path.join(root, 'node_modules/.cache', `outcome-ledger-cli-${process.pid}`);
  const folder = mkdtempSync(path.join(tmpdir(), 'outcome-ledger-cli-'));
  // Where root runs the tests, the database's own user has to pass through.
  chmodSync(folder, 0o711);
  const main = path.join(outDir, 'src/cli/main.js');
  beforeAll(async () => {
    const tsc = path.join(root, 'node_modules/.bin/tsc');
    const build = promisify(execFile)(tsc, ['-p', 'tsconfig.build.json', '--outDir', outDir], { cwd: root });
    await build.catch((error: { stdout?: string }) => {
      if (!existsSync(main)) throw new Error(`the command was not built:\n${error.stdout}`);
    });
  });
  afterAll(() => {
    rmSync(outDir, { recursive: true, force: true });
    rmSync(folder, { recursive: true, force: true });
  });
  return { run: (args, options) => runNode([main, ...args], { cwd: folder, ...options }), folder, main };
}

function runNode(args: string[], options: RunOptions): Promise<CliRun> {
  const { PATH, HOME, TMPDIR } = process.env;
  const child = spawn(process.execPath, args, { cwd: options.cwd, env: { PATH, HOME, TMPDIR, ...options.env } });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
    if (options.signalAfter && stdout.includes(options.signalAfter.text)) {
      child.kill(options.signalAfter.signal);
      options.signalAfter = undefined;
    }
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  // A command that reads no input may be gone before it is written.
  child.stdin.on('error', () => undefined);
  child.stdin.end(options.stdin ?? '');
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      resolve({ code, signal, stdout, stderr, json: () => JSON.parse(stdout) as Record<string, unknown> });
    });
  });
}

import { spawn } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, inject } from 'vitest';

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

/** The built command, run as users run it: `node main.js …`, in a folder of its own, with a bare environment. */
export function useCli(): {
  run(args: string[], options?: RunOptions): Promise<CliRun>;
  folder: string;
  readonly main: string;
} {
  const folder = mkdtempSync(path.join(tmpdir(), 'outcome-ledger-cli-'));
  // Where root runs the tests, the database's own user has to pass through.
  chmodSync(folder, 0o711);
  let built: string | undefined;
  const main = () => {
    if (built === undefined) throw new Error('useCli(): asked for before beforeAll has run');
    return built;
  };
  beforeAll(async () => {
    const response = await fetch(`${inject('sharedServerUrl')}/command`);
    if (!response.ok) throw new Error(await response.text());
    built = ((await response.json()) as { main: string }).main;
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return {
    run: (args, options) => runNode([main(), ...args], { cwd: folder, ...options }),
    folder,
    get main() {
      return main();
    },
  };
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

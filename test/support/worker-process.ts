import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { onTestFinished } from 'vitest';

export interface Healthz {
  status: 'ok' | 'unwell';
  // biome-ignore lint/suspicious/noExplicitAny: documents are looked into freely in tests
  workers: Record<string, any>[];
}

/** `outcome-ledger workers …` as a supervisor runs it: a process of its own, its log on a pipe. */
export interface WorkerProcess {
  child: ChildProcess;
  url: string;
  /** Its log so far, a document a line. */
  said: { level: string; message: string; [detail: string]: unknown }[];
  /** Status code and document of `/healthz`. */
  health(): Promise<[number, Healthz]>;
  /** How it ended. */
  exit: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** Starts workers on a free port and waits until they serve; killed when the test ends. */
export async function startWorkers(
  main: string,
  args: string[],
  env: Record<string, string | undefined>,
  names = ['sync'],
): Promise<WorkerProcess> {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [main, 'workers', ...names, '--port', '0', ...args], {
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said: WorkerProcess['said'] = [];
  const exit = once(child, 'exit').then(([code, signal]) => ({ code, signal }));
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exit;
  });
  const port = await new Promise<unknown>((resolve, reject) => {
    createInterface(child.stdout).on('line', (line) => {
      const entry = JSON.parse(line);
      said.push(entry);
      if (entry.message === 'listening') resolve(entry.port);
    });
    void exit.then(({ code }) => reject(new Error(`the workers ended with ${code}: ${JSON.stringify(said)}`)));
  });
  const url = `http://127.0.0.1:${port}`;
  return {
    child,
    url,
    said,
    exit,
    async health() {
      const response = await fetch(`${url}/healthz`);
      return [response.status, (await response.json()) as Healthz];
    },
  };
}

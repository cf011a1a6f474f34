import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Where a server process listens, and the token it takes. */
export type Ready = { port: number; path: string; token: string };

/** Starts one of this folder's servers in a process of its own and waits until it says where it listens. */
export async function startChild(
  script: string,
  settings: Record<string, string>,
): Promise<{ ready: Ready; pid: number; stop(): Promise<void> }> {
  const file = fileURLToPath(new URL(script, import.meta.url));
  const root = fileURLToPath(new URL('../..', import.meta.url));
  const child: ChildProcess = spawn(process.execPath, [`${root}/node_modules/vite-node/vite-node.mjs`, file], {
    cwd: root,
    env: { ...process.env, ...settings },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exit = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  const stop = async () => {
    // The servers end with their standard input.
    child.stdin?.end();
    await exit;
  };
  if (!child.stdout || !child.pid) throw new Error(`${script} did not start`);
  for await (const line of createInterface({ input: child.stdout })) {
    if (line.startsWith('{')) return { ready: JSON.parse(line) as Ready, pid: child.pid, stop };
  }
  throw new Error(`${script} ended before it was ready`);
}

/** For a server process: says that it is ready, and ends when its parent closes its standard input or dies. */
export function reportReady(ready: Ready, close: () => Promise<unknown>): void {
  console.log(JSON.stringify(ready));
  process.stdin.resume();
  process.stdin.once('end', () => void close().finally(() => process.exit(0)));
}

// The service that Supabase Studio asks, on ports of its own.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { freePort, requireFreePort } from '../../src/stack/postgres/port.ts';
import { toolFile } from './tools.ts';

/** How often other ports are tried: it takes the port after the one it is told too, and says nothing when it has not. */
const ATTEMPTS = 5;

export interface PostgresMeta {
  url: string;
  stop(): Promise<void>;
}

/** Starts `@supabase/postgres-meta` on the database of `databaseUrl` and waits until it answers. */
export async function startPostgresMeta(databaseUrl: string): Promise<PostgresMeta> {
  let said = '';
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const port = await freePort();
    if (
      !(await requireFreePort(port + 1).then(
        () => true,
        () => false,
      ))
    )
      continue;
    const service = spawn(process.execPath, [toolFile('@supabase/postgres-meta/dist/server/server.js')], {
      env: { ...process.env, PG_META_HOST: '127.0.0.1', PG_META_PORT: String(port), PG_META_DB_URL: databaseUrl },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [service.stdout, service.stderr]) stream.on('data', (chunk: Buffer) => (said += chunk));
    const ended = once(service, 'exit');
    const url = `http://127.0.0.1:${port}`;
    if (await answers(url, service)) {
      return {
        url,
        stop: async () => {
          service.kill('SIGKILL');
          await ended;
        },
      };
    }
    await ended;
  }
  throw new Error(`postgres-meta did not come up: ${said}`);
}

async function answers(url: string, service: ChildProcess): Promise<boolean> {
  while (service.exitCode === null && service.signalCode === null) {
    const healthy = await fetch(`${url}/health`).then(
      (answer) => answer.ok,
      () => false,
    );
    if (healthy && service.exitCode === null) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

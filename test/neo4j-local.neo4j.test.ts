// The launcher: it starts a real server, gives it back as it was, and leaves none behind.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, vi } from 'vitest';
import { startNeo4jLocal } from '../lineage/neo4j-local/start.ts';
import { startNeo4j } from './support/neo4j.ts';
import { ROOT } from './support/tools.ts';

// Each starts a server or two.
vi.setConfig({ testTimeout: 240_000 });
const home = mkdtempSync(join(tmpdir(), 'outcome-ledger-neo4j-home-'));
afterAll(() => rmSync(home, { recursive: true, force: true }));

it('keeps its data, port and password over a kill and restarts, and refuses a second server on the same folder', async () => {
  const server = await startNeo4j({ home, password: 'a password, with "signs" = é' });
  const { uri, pid } = server;
  await server.run('create (:Kept {n: 1})');

  const second = startNeo4jLocal({ home, quick: true });
  await expect(second).rejects.toMatchObject({
    code: 'neo4j_not_started',
    message: expect.stringContaining(home),
    remedy: expect.stringContaining('another Neo4j'),
  });

  await server.kill();
  expect(isAlive(pid)).toBe(false);
  await server.restart();
  expect(server.pid).not.toBe(pid);
  expect(server.uri).toBe(uri);
  expect(await server.run('match (k:Kept) return k.n as n')).toEqual([{ n: 1n }]);

  // In the Java that runs, with the settings of now.
  const java = server.pid;
  await server.restart({ 'server.databases.default_to_read_only': 'true' });
  expect([server.pid, server.uri]).toEqual([java, uri]);
  expect(await server.run('match (k:Kept) return k.n as n')).toEqual([{ n: 1n }]);
  await expect(server.run('create (:Kept {n: 2})')).rejects.toThrow(/read-only/);
  await server.stop();
  expect(isAlive(server.pid)).toBe(false);
});

it('ends when the process that started it is killed', async () => {
  const parent = spawn(
    process.execPath,
    [
      join(ROOT, 'node_modules/vite-node/dist/cli.mjs'),
      'lineage/neo4j-local/main.ts',
      ...['--home', join(home, 'of-a-child'), '--quick', '--no-auth'],
    ],
    {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  let said = '';
  for await (const chunk of parent.stdout) {
    said += chunk;
    if (said.includes('NEO4J_DATABASE=')) break;
  }
  const pid = Number(/^NEO4J_PID=(\d+)$/m.exec(said)?.[1]);
  expect(isAlive(pid)).toBe(true);
  parent.kill('SIGKILL');
  for (const deadline = Date.now() + 60_000; isAlive(pid); ) {
    if (Date.now() > deadline) throw new Error(`the server ${pid} has outlived its parent`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

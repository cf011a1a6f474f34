import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import postgres from 'postgres';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { isAlive } from './postmaster.ts';
import { type Server, type ServerOptions, startServer } from './server.ts';

let dir: string;
let started: Server[] = [];
beforeEach(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'outcome-ledger-server-'));
  await chmod(dir, 0o711);
});
afterEach(async () => {
  for (const server of started) await server.stop('immediate');
  started = [];
  await rm(dir, { recursive: true, force: true });
});

async function start(over: Partial<ServerOptions> = {}): Promise<Server> {
  const options = { directory: path.join(dir, 'postgres'), logFile: path.join(dir, 'log'), password: 'secret' };
  const server = await startServer({ ...options, ...over });
  started.push(server);
  return server;
}

async function ask<T extends object>(url: string, text: string): Promise<T[]> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    return (await sql.unsafe(text)) as unknown as T[];
  } finally {
    await sql.end();
  }
}

it('runs PostgreSQL 17 on loopback with passwords, checksums and a built-in UTF-8 locale', async () => {
  const server = await start();
  const [row] = await ask(
    server.url(),
    `select current_setting('server_version_num')::int / 10000 as major, current_user as "user",
            current_setting('data_checksums') as checksums, current_setting('server_encoding') as encoding,
            current_setting('listen_addresses') as listens, current_setting('unix_socket_directories') as sockets,
            (select datlocprovider::text || ' ' || datlocale from pg_database where datname = current_database()) as locale`,
  );
  expect(row).toEqual({
    major: 17,
    user: 'supabase_admin',
    checksums: 'on',
    encoding: 'UTF8',
    listens: '127.0.0.1',
    sockets: '',
    locale: 'b C.UTF-8',
  });
  await expect(ask(server.url().replace('secret', 'wrong'), 'select 1')).rejects.toMatchObject({ code: '28P01' });
  // Root's data directory is open for passing through; what lies in it is not.
  expect((await stat(path.join(dir, 'log'))).mode & 0o077).toBe(0);
  expect((await stat(path.join(dir, 'postgres'))).mode & 0o077).toBe(0);
});

it('keeps committed rows through an immediate stop and a restart on the same port', async () => {
  const server = await start();
  await ask(server.url(), 'create table t (n int); insert into t select generate_series(1, 1000)');
  await server.stop('immediate');
  expect(isAlive(server.pid)).toBe(false);
  const { port } = server;
  await server.restart();
  expect(server.port).toBe(port);
  expect(await ask(server.url(), 'select count(*)::int as n from t')).toEqual([{ n: 1000 }]);
});

it('ends the server that a killed process left on the same files', async () => {
  const orphan = await start();
  await ask(orphan.url(), 'create table t as select 7 as n');
  const server = await start();
  expect(isAlive(orphan.pid)).toBe(false);
  expect(await ask(server.url(), 'select n from t')).toEqual([{ n: 7 }]);
});

it('starts over a pid file that names another program', async () => {
  const first = await start();
  await first.stop();
  await writeFile(path.join(dir, 'postgres', 'postmaster.pid'), `${process.pid}\n${dir}\n`);
  await start();
  expect(isAlive(process.pid)).toBe(true);
});

it('takes another port when the wanted one is in use', async () => {
  const first = await start();
  const second = await start({
    directory: path.join(dir, 'second'),
    logFile: path.join(dir, 'log2'),
    port: first.port,
  });
  expect(second.port).not.toBe(first.port);
});

it('says why it does not start', async () => {
  await expect(start({ settings: { shared_buffers: 'much' } })).rejects.toThrow(/shared_buffers/);
});

it('refuses a folder that holds something else', async () => {
  await mkdir(path.join(dir, 'postgres'));
  await writeFile(path.join(dir, 'postgres', 'letter.txt'), 'mine');
  await expect(start()).rejects.toThrow(/no PostgreSQL 17 cluster/);
});

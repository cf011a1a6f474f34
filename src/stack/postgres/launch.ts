import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { open, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Binaries } from './binaries.ts';
import { serverEnvironment } from './environment.ts';
import { guardServer } from './guard.ts';
import { ended, readPostmaster } from './postmaster.ts';
import type { ServerOptions, StopMode } from './server.ts';
import type { SystemUser } from './system-user.ts';

const SETTINGS: Record<string, string> = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  password_encryption: 'scram-sha-256',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

/** The server ended before it was ready; the message quotes its log. */
export class NotStarted extends Error {
  readonly portTaken: boolean;
  /** Sessions of a server whose first process was killed are still ending. */
  readonly passing: boolean;

  constructor(logFile: string, said: string) {
    super(`PostgreSQL did not start. Its log (${logFile}) says: ${said || 'nothing'}`);
    this.portTaken = /could not bind|Address already in use/.test(said);
    this.passing = /shared memory block .* is still in use/.test(said);
  }
}

/** Launches the server's process and waits until it takes connections. */
export async function launchPatiently(...order: Parameters<typeof launch>): Promise<Running> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await launch(...order);
    } catch (error) {
      if (!(error instanceof NotStarted && error.passing) || attempt === 25) throw error;
      await sleep(200);
    }
  }
}

export type Running = { pid: number; exited: Promise<void>; stop(mode: StopMode): Promise<void> };

async function launch(binaries: Binaries, user: SystemUser, options: ServerOptions, port: number): Promise<Running> {
  const settings = Object.entries({ ...SETTINGS, ...options.settings, port: String(port) });
  const log = await open(options.logFile, 'a', 0o600);
  const logStart = (await log.stat()).size;
  let child: ChildProcess;
  try {
    child = spawn(binaries.postgres, ['-D', options.directory, ...settings.flatMap(([k, v]) => ['-c', `${k}=${v}`])], {
      uid: user.uid,
      gid: user.gid,
      cwd: '/',
      env: serverEnvironment(),
      // Its own process group: Ctrl-C in a terminal must reach us alone, or requests would lose their database.
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
  } finally {
    await log.close();
  }
  const exit = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  child.unref();
  const { pid } = child;
  if (!pid || !(await becomesReady(child, options.directory))) {
    await exit;
    const said = (await readFile(options.logFile, 'utf8').catch(() => '')).slice(logStart).trim();
    throw new NotStarted(options.logFile, said);
  }
  const guard = guardServer(pid, options.directory, options.temporary);
  return {
    pid,
    exited: exit,
    async stop(mode) {
      guard.release();
      if (child.exitCode !== null || child.signalCode !== null) return;
      // A reference again while we wait: nothing else may keep this process alive until the server has gone.
      child.ref();
      signal(child, mode, binaries.pgCtl, options.directory);
      if (mode === 'fast' && !(await Promise.race([exit.then(() => true), sleep(20_000, false, { ref: false })]))) {
        child.kill('SIGQUIT');
      }
      await exit;
      await ended(pid, 5_000);
    },
  };
}

function signal(child: ChildProcess, mode: StopMode, pgCtl: string, directory: string): void {
  if (process.platform !== 'win32') child.kill(mode === 'fast' ? 'SIGINT' : 'SIGQUIT');
  else execFileSync(pgCtl, ['stop', '-D', directory, '-m', mode, '-W'], { stdio: 'ignore' });
}

async function becomesReady(child: ChildProcess, directory: string): Promise<boolean> {
  while (child.exitCode === null && child.signalCode === null && child.pid) {
    const found = await readPostmaster(directory);
    if (found?.pid === child.pid && found.ready) return true;
    await sleep(15);
  }
  return false;
}

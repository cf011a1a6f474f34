import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { writePrivate } from './private-file.ts';

/** What a running stack says about itself in `stack.json` (0600: the URLs carry passwords). */
export type StackState = {
  /** New with each start; the HTTP server answers with it, which tells a live stack from a file left behind. */
  instance: string;
  pid: number;
  /** RFC 3339. */
  started_at: string;
  functions_url: string;
  jwks_url: string;
  issuer: string;
  data_dir: string;
  /** As the owner, `postgres`. */
  database_url: string;
  /** As the superuser; on an external database the same as `database_url`. */
  admin_url: string;
  gateway_url: string;
  auditor_url: string;
  workers: WorkerState[];
  /** Proof that a caller may stop the stack: who can read this file. */
  control_token: string;
};

export type WorkerState = { name: string; state: 'running' | 'standby' | 'stopped'; url?: string };

export async function writeState(state: StackState): Promise<void> {
  await writePrivate(stateFile(state.data_dir), `${JSON.stringify(state, null, 2)}\n`);
}

/** What `stack.json` of a data directory says, be that stack alive or not; undefined when there is none. */
export async function readState(dataDir: string): Promise<StackState | undefined> {
  const text = await readFile(stateFile(dataDir), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as StackState);
}

export async function removeState(dataDir: string): Promise<void> {
  await rm(stateFile(dataDir), { force: true });
}

function stateFile(dataDir: string): string {
  return path.join(dataDir, 'stack.json');
}

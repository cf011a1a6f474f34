import { readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { writePrivate } from './private-file.ts';
import type { WorkerName } from './workers/names.ts';

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
  graph: StackGraph;
  /** Present with the graph `neo4j`. */
  neo4j?: GraphServer;
  workers: WorkerState[];
  /** Proof that a caller may stop the stack and ask its workers: who can read this file. */
  control_token: string;
};

/** Which graph mirrors the lineage of a stack. */
export type StackGraph = 'none' | 'embedded' | 'neo4j';

/** A worker, in the stack's process or one beside it; `url` (health, metrics) and `pid` while it runs. */
export type WorkerState = {
  name: WorkerName;
  state: 'running' | 'restarting';
  url?: string;
  pid?: number;
  /** Why it ended last, where that is no single accident; what it says itself since then counts more. */
  reason?: StateReason;
};

/** The Neo4j that a stack's lineage is mirrored into. */
export type GraphServer = {
  /** Its Bolt address. */
  uri: string;
  /** Null: the server's own default. */
  user: string | null;
  database: string | null;
  /** Of the one that the stack started; another's is not kept here. */
  password: string | null;
  /** Where it is to be read. */
  password_in: string;
  /** Of the one that the stack started. */
  state: 'running' | 'restarting';
  reason?: StateReason;
};

/** What is wrong with a part of the stack, and what to do. */
export type StateReason = { code: string; message: string; remedy: string };

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

import type { GraphServer, StackGraph, WorkerState } from './state.ts';
import type { NewTenant } from './tenants.ts';
import type { TokenClaims } from './tokens.ts';
import type { StackMirror } from './workers/client.ts';

export type StackOptions = {
  /** Where everything is kept; a temporary directory, deleted on stop, when absent. */
  dataDir?: string;
  /** Port of the functions; must be free. Absent: the one this directory had last, or any. */
  port?: number;
  /** A PostgreSQL 17 of one's own, named as its owner `postgres` or a superuser, instead of the embedded one. */
  databaseUrl?: string;
  /** Settings of the embedded server, e.g. `{ fsync: 'off' }`. */
  postgresSettings?: Record<string, string>;
  /**
   * A graph that mirrors the lineage, kept up by a sync worker in a process of its own. `neo4j` is the one that `NEO4J_URI`
   * names, else one started here (Java 17 and Maven). Default: none.
   */
  graph?: StackGraph;
  /** Whether deadlines are swept and webhooks called, by workers in this process. Default: yes. */
  workers?: boolean;
  /** More environment for the functions, e.g. `LEDGER_CORS_ORIGINS`. */
  functionsEnv?: Record<string, string>;
  /** This process runs nothing but the stack, so that HTTP may be served with faster stand-ins for Request and Response. */
  ownProcess?: boolean;
  /** No progress on standard error. */
  quiet?: boolean;
  /** Called with each step instead of writing it to standard error. */
  onProgress?: (text: string) => void;
  /** Called when a running stack restarts its database or a worker; absent, it is written to standard error unless `quiet`. */
  onNotice?: (text: string) => void;
};

/** A running ledger: its database, its functions over HTTP, its workers. */
export interface Stack {
  /** `http://127.0.0.1:PORT/functions/v1` */
  functionsUrl: string;
  jwksUrl: string;
  issuer: string;
  dataDir: string;
  /** As the owner, `postgres`. */
  databaseUrl: string;
  /** As the superuser; on an external database the same as `databaseUrl`. */
  adminUrl: string;
  gatewayUrl: string;
  auditorUrl: string;
  graph: StackGraph;
  /** With the graph `neo4j`: where it is, and how. */
  neo4j?: GraphServer;
  /** As they are now; of an attached stack, as they were when it was attached. */
  workers: WorkerState[];
  /** Asks the graph, through the sync worker; refuses `graph_missing` without one. */
  mirror: StackMirror;
  pid: number;
  /** RFC 3339. */
  startedAt: string;
  mintToken(claims: TokenClaims): Promise<string>;
  createTenant(tenant?: NewTenant): Promise<{ tenantId: string }>;
  /** Signs with a new key from now on; the old one verifies for `graceSeconds` more (default: one hour). */
  rotateKeys(graceSeconds?: number): Promise<{ kid: string }>;
  /** Finishes requests, stops workers and database; with an attached stack, in the process that runs it. */
  stop(): Promise<void>;
  /**
   * Settles when the stack has stopped, whoever asked for it.
   *
   * @throws DatabaseLost when it stopped itself because its PostgreSQL could not be kept running
   */
  stopped: Promise<void>;
}

/** Another process runs a stack on this data directory: attach to it. */
export class StackRunning extends Error {
  readonly code = 'stack_running';
  readonly dataDir: string;

  constructor(dataDir: string) {
    super(`A stack is already running on ${dataDir}.`);
    this.name = 'StackRunning';
    this.dataDir = dataDir;
  }
}

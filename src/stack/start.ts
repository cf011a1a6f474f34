import { randomBytes, randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { clusterFolder, type DataDirectory, openDataDirectory } from './data-directory.ts';
import { listenOn } from './http-server.ts';
import { type DatabaseLost, type Keeper, keepRunning } from './keep-running.ts';
import { openKeys } from './keys.ts';
import { type LedgerUrls, prepareNamedDatabase, prepareOwnDatabase } from './ledger-database.ts';
import { type DirectoryLock, lockDirectory } from './lock.ts';
import { createOwnApp, WORKERS_PATH } from './own-app.ts';
import { readPorts, writePorts } from './ports.ts';
import { requireFreePort, type Server, startServer } from './postgres/index.ts';
import { openSecrets, type Secrets } from './secrets.ts';
import { type ServedFunctions, serveFunctions } from './serve.ts';
import { type Stack, type StackOptions, StackRunning } from './stack.ts';
import { startGraph } from './stack-graph.ts';
import { stackOf } from './stack-handle.ts';
import { startStackWorkers } from './stack-workers.ts';
import { removeState, type StackState, writeState } from './state.ts';
import { mintToken } from './tokens.ts';

/**
 * Starts the whole ledger in this process, and its database beside it.
 *
 * @throws StackRunning when one runs on `dataDir` already
 * @throws SchemaRefused when the database is someone else's or another version's
 */
export async function startStack(options: StackOptions = {}): Promise<Stack> {
  const progress = options.onProgress ?? (options.quiet ? () => undefined : (text) => console.error(text));
  const undo: (() => unknown)[] = [];
  // What was opened last is closed first; a failure on the way must not keep the rest open.
  const unwind = async () => {
    for (const step of undo.splice(0).reverse()) await (async () => step())().catch(() => undefined);
  };
  try {
    return await start(options, progress, undo, unwind);
  } catch (error) {
    await unwind();
    throw error;
  }
}

async function start(
  options: StackOptions,
  progress: (text: string) => void,
  undo: (() => unknown)[],
  unwind: () => Promise<void>,
): Promise<Stack> {
  // Taken for good only once the database is up; what is known to fail fails now.
  if (options.port) await requireFreePort(options.port);
  const directory = await openDataDirectory(options.dataDir);
  undo.push(() => directory.discard());
  const lock = await takeLock(directory.path, progress);
  undo.push(() => lock.release());
  // Last but for the lock: whoever waits for the stack's end waits for this file to go.
  undo.push(() => removeState(directory.path));

  const remembered = await readPorts(directory.path);
  const secrets = await openSecrets(directory.path);
  const { urls, server } = await openDatabase(options, directory, secrets, remembered.postgres, progress, undo);
  let served: ServedFunctions | undefined;
  undo.push(() => served?.close());
  const http = await listenOn(options.port, remembered.http, options.ownProcess);
  undo.push(() => http.close());
  const ports = {
    http: http.port,
    postgres: options.databaseUrl ? remembered.postgres : Number(new URL(urls.adminUrl).port),
  };

  const keys = await openKeys(path.join(directory.path, 'signing-keys.json'));
  const base = `http://127.0.0.1:${http.port}`;
  const state: StackState = {
    instance: randomUUID(),
    pid: process.pid,
    started_at: new Date().toISOString(),
    functions_url: `${base}/functions/v1`,
    jwks_url: `${base}/auth/v1/.well-known/jwks.json`,
    issuer: `${base}/auth/v1`,
    data_dir: directory.path,
    database_url: urls.ownerUrl,
    admin_url: urls.adminUrl,
    gateway_url: urls.gatewayUrl,
    auditor_url: urls.auditorUrl,
    graph: options.graph ?? 'none',
    workers: [],
    control_token: randomBytes(24).toString('hex'),
  };

  served = serveFunctions({
    LEDGER_DATABASE_URL: urls.gatewayUrl,
    LEDGER_JWKS_URL: state.jwks_url,
    LEDGER_JWT_ISSUER: state.issuer,
    LEDGER_JWT_AUDIENCE: 'authenticated',
    // One process serves all functions, where on Supabase each instance has a pool of its own.
    LEDGER_MAX_CONNECTIONS: '8',
    ...options.functionsEnv,
  });

  let settle: (lost?: DatabaseLost) => void = () => undefined;
  const stopped = new Promise<void>((resolve, reject) => {
    settle = (lost) => (lost ? reject(lost) : resolve());
  });
  // Whoever does not wait for the end must not be ended by it.
  stopped.catch(() => undefined);
  let stopping: Promise<void> | undefined;
  const stop = (lost?: DatabaseLost) => {
    stopping ??= unwind().then(() => settle(lost));
    return stopping;
  };
  let keeper: Keeper | undefined;
  const onNotice = options.onNotice ?? (options.quiet ? () => undefined : (text: string) => console.error(text));
  const logFile = path.join(directory.path, 'workers.log');
  // Of this start alone, or it would grow for ever.
  await rm(logFile, { force: true });
  const workers = startStackWorkers({
    urls: options.workers === false ? null : urls.workerUrls,
    logFile,
    onNotice,
    undo,
  });
  state.workers = workers.names.map((name) => ({ name, state: 'running', url: base + WORKERS_PATH, pid: process.pid }));
  http.open({
    functions: served.functions,
    own: createOwnApp({
      keys,
      instance: state.instance,
      controlToken: state.control_token,
      functionNames: Object.keys(served.functions),
      database: () => keeper?.state ?? 'running',
      workers: workers.app,
      stop: () => void stop(),
    }),
  });
  if (server) {
    const onLost = (lost: DatabaseLost) => {
      onNotice(lost.message);
      void stop(lost);
    };
    keeper = keepRunning(server, { name: 'PostgreSQL', logFile: postgresLog(directory), onNotice, onLost });
    // Released before the server stops: that is no death.
    undo.push(() => keeper?.release());
  }
  let saving: Promise<void> | undefined;
  // One after the other and as late as can be, so that the file holds the latest; the first time when all of it runs.
  const save = async () => {
    saving = saving?.catch(() => undefined).then(() => writeState(state));
    await saving;
  };
  const graph = await startGraph(state, {
    databaseUrl: urls.workerUrls.sync,
    neo4jPort: remembered.neo4j,
    secrets,
    logFile,
    save,
    onProgress: progress,
    onNotice,
    undo,
  });
  await writePorts(directory.path, { ...ports, neo4j: graph.neo4jPort ?? remembered.neo4j });
  saving = Promise.resolve();
  await save();
  return stackOf(state, {
    stop: () => stop(),
    stopped,
    mintToken: (claims) => mintToken(keys, state.issuer, claims),
    rotateKeys: (grace) => keys.rotate(grace),
  });
}

async function takeLock(dataDir: string, progress: (text: string) => void): Promise<DirectoryLock> {
  const lock = await lockDirectory(dataDir);
  if (!lock) throw new StackRunning(dataDir);
  if (lock.kind === 'pid file') {
    progress('fs-native-extensions is not installed: the data directory is locked by a pid file (lock.pid) instead');
  }
  return lock;
}

async function openDatabase(
  options: StackOptions,
  directory: DataDirectory,
  secrets: Secrets,
  port: number | undefined,
  onProgress: (text: string) => void,
  undo: (() => unknown)[],
): Promise<{ urls: LedgerUrls; server?: Server }> {
  if (options.databaseUrl) return { urls: await prepareNamedDatabase(options.databaseUrl, { secrets, onProgress }) };
  onProgress('starting PostgreSQL 17');
  const server = await startServer({
    directory: await clusterFolder(directory.path),
    logFile: postgresLog(directory),
    password: await secrets.passwordOf('supabase_admin'),
    port,
    settings: options.postgresSettings,
    temporary: directory.temporary ? directory.path : undefined,
  });
  undo.push(() => server.stop());
  return { urls: await prepareOwnDatabase(server.url(), { secrets, onProgress }), server };
}

function postgresLog(directory: DataDirectory): string {
  return path.join(directory.path, 'postgres.log');
}

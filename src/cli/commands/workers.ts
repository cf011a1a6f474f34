import type { Command } from 'commander';
import { DATABASE_VARIABLES, isWorkerName, WORKER_NAMES, type WorkerName } from '../../stack/workers/names.ts';
import { preflight, usage } from '../failure.ts';
import { graphOption, graphTargetOf, type MirrorOptions, workerDatabaseUrlOf } from '../graph-options.ts';
import { mirrorFailure } from '../mirror-failure.ts';
import { fromEnvironment, uuid, wholeNumber, withJson } from '../options.ts';
import { ownerLoginWarning } from '../owner-login.ts';
import type { Session } from '../session.ts';
import { untilStopped } from '../until-stopped.ts';
import { workerLog } from '../worker-log.ts';

interface WorkersOptions extends MirrorOptions {
  allowLoopback?: boolean;
  json?: boolean;
  host: string;
  port: number;
}

const DEFAULT_PORT = 9464;
/** After the death of the process that started us; by then the batch in hand has long been written. */
const ORPHAN_LIVES_MS = 15_000;

export function registerWorkers(program: Command, session: Session): void {
  withJson(program.command('workers'))
    .description('run workers alone, beside any ledger, with /healthz and /metrics; SIGTERM finishes what is in hand')
    .argument('[names...]', `which ones, of: ${WORKER_NAMES.join(', ')} (default: those whose variable is set)`)
    .option(
      '--database-url <url>',
      `the ledger, as the login of the one worker named; several have a variable each: ${Object.values(DATABASE_VARIABLES).join(', ')}`,
    )
    .addOption(graphOption())
    .option('--graph-dir <dir>', 'where the embedded graph keeps its files; no other process may use them')
    .option('--tenant <id>', 'of sync: mirror this tenant alone, into a graph of its own', uuid)
    .option('--allow-loopback', 'of relay: call webhooks on this machine too, for development')
    .option('--host <host>', 'address that /healthz and /metrics are served on', '127.0.0.1')
    .option('--port <n>', 'port of /healthz and /metrics; 0 takes a free one', wholeNumber(0, 65_535), DEFAULT_PORT)
    .action(async (words: string[], options: WorkersOptions) => {
      const urls = urlsOf(namesOf(words), options.databaseUrl);
      const sync = urls.sync === undefined ? undefined : mirrorOrder(urls.sync, options);
      const stopped = untilStopped();
      const [{ runWorkers }, { endForOverrun }] = await Promise.all([
        import('../../stack/workers/run.ts'),
        import('../../stack/workers/overrun.ts'),
      ]);
      const log = workerLog(session.terminal, options.json === true);
      const controlToken = fromEnvironment('OUTCOME_LEDGER_CONTROL_TOKEN');
      const { host, port, allowLoopback } = options;
      const order = { sync, sweepUrl: urls.sweep, relayUrl: urls.relay, allowLoopback, host, port, controlToken, log };
      for (const [name, url] of Object.entries(urls)) {
        const warning = ownerLoginWarning(name as WorkerName, url);
        if (warning) log({ level: 'warn', message: warning, details: { code: 'owner_login' } });
      }
      try {
        const workers = await runWorkers({
          ...order,
          onOverrun: (refusal, text) => endForOverrun(refusal, text, log),
        });
        // Of a stack it stays, so that whoever asks the stack is told.
        const pooled = controlToken === undefined ? workers.pooled : new Promise<never>(() => undefined);
        const reason = await Promise.race([stopped, announced(controlToken, workers.port), pooled]);
        log({ level: 'info', message: 'stopping', details: { reason } });
        await workers.stop();
        log({ level: 'info', message: 'stopped' });
        if (typeof reason === 'object') throw preflight(reason.code, reason.detail, reason.remedy ?? undefined);
        // The channel to a stack would keep this process alive.
        if (process.connected) process.disconnect();
      } catch (error) {
        throw relayFailure(error) ?? listenFailure(error, options) ?? (await mirrorFailure(error));
      }
    });
}

function mirrorOrder(databaseUrl: string, options: WorkersOptions) {
  return { databaseUrl, graph: graphTargetOf(options), tenantId: options.tenant };
}

/** A connection string for each worker that is to run. */
function urlsOf(names: readonly WorkerName[], flag: string | undefined): Partial<Record<WorkerName, string>> {
  if (flag !== undefined && names.length !== 1) {
    throw usage(
      '--database-url is the login of one worker',
      `name that worker, or set a variable for each: ${Object.values(DATABASE_VARIABLES).join(', ')}`,
    );
  }
  const wanted = names.length > 0 ? names : WORKER_NAMES;
  const found = wanted.flatMap((name) => {
    const url = workerDatabaseUrlOf(name, flag);
    return url === undefined ? [] : [[name, url] as const];
  });
  const missing = names.find((name) => !found.some(([known]) => known === name));
  if (missing !== undefined || found.length === 0) {
    const name = missing ?? 'sync';
    throw usage(
      missing
        ? `which ledger? ${DATABASE_VARIABLES[name]} is not set, nor --database-url given`
        : 'which workers, and which ledger?',
      `outcome-ledger roles password ledger_${name} prints a connection string for ${DATABASE_VARIABLES[name]}; the workers of a local stack run by themselves: outcome-ledger up`,
    );
  }
  return Object.fromEntries(found);
}

/** `sync`, `sync relay` or `sync,relay`; none is empty. */
function namesOf(words: readonly string[]): WorkerName[] {
  const names = words.flatMap((word) => word.split(',')).filter((name) => name !== '');
  const unknown = names.find((name) => !isWorkerName(name));
  if (unknown !== undefined) {
    throw usage(`there is no worker '${unknown}'`, `the workers are: ${WORKER_NAMES.join(', ')}`);
  }
  return [...new Set(names.filter(isWorkerName))];
}

/**
 * Tells the process that started us where we listen, and resolves when it has died: a stack's workers go with it. Without a
 * control token nobody of that kind did.
 */
function announced(controlToken: string | undefined, port: number): Promise<string> {
  return new Promise((resolve) => {
    if (controlToken === undefined || !process.send) return;
    const orphaned = () => {
      setTimeout(() => process.exit(1), ORPHAN_LIVES_MS).unref();
      resolve('the process that started it has ended');
    };
    if (!process.connected) return orphaned();
    process.once('disconnect', orphaned);
    process.send({ listening: `http://127.0.0.1:${port}` });
  });
}

function relayFailure(error: unknown): unknown {
  const { code, message, remedy } = error as { code?: unknown; message: string; remedy?: string };
  return code === 'relay_misconfigured' ? preflight(code, message, remedy, error) : undefined;
}

function listenFailure(error: unknown, { host, port }: WorkersOptions): unknown {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return preflight('port_in_use', `port ${port} is in use`, 'choose another --port; 0 takes a free one', error);
  if (syscall !== 'listen' && syscall !== 'getaddrinfo') return undefined;
  return preflight(
    'start_failed',
    `${host}:${port} cannot be listened on (${code})`,
    'choose another --host or --port',
    error,
  );
}

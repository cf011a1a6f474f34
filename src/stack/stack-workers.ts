import { createWriteStream } from 'node:fs';
import type { Hono } from 'hono';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { RelayMisconfigured } from '../relay/index.ts';
import type { LedgerUrls } from './ledger-database.ts';
import { createHealthApp, type RunningWorker } from './workers/health.ts';
import { startLedgerWorkers } from './workers/ledger-workers.ts';
import { jsonLog } from './workers/log.ts';
import { DATABASE_VARIABLES } from './workers/names.ts';

export type StackWorkersOptions = {
  /** Null: none is to run. */
  urls: LedgerUrls['workerUrls'] | null;
  /** What they say is appended here. */
  logFile: string;
  onNotice: (text: string) => void;
  undo: (() => unknown)[];
};

/** The workers that run in the stack's own process. */
export type StackWorkers = {
  names: RunningWorker['name'][];
  /** Their `/healthz` and `/metrics`. */
  app: Hono;
};

/**
 * Starts sweep and relay on the stack's database. Where somebody gave their login a password that is not known here, the
 * variable of `workers` names the connection; without it that worker does not run, and a notice says so.
 */
export function startStackWorkers({ urls, logFile, onNotice, undo }: StackWorkersOptions): StackWorkers {
  const file = createWriteStream(logFile, { flags: 'a', mode: 0o600 });
  // A full disk must not end the ledger for the sake of a log.
  file.once('error', (error) => onNotice(`the workers’ log cannot be written: ${error.message}`));
  file.on('error', () => undefined);
  undo.push(() => new Promise<void>((done) => file.end(() => done())));
  const urlOf = (name: 'sweep' | 'relay') => {
    if (urls === null) return undefined;
    const url = urls[name] ?? process.env[DATABASE_VARIABLES[name]];
    if (url) return url;
    onNotice(
      `the ${name} worker does not run: ledger_${name}’s password is not known here; set ${DATABASE_VARIABLES[name]}`,
    );
    return undefined;
  };
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  const order = {
    sweepUrl: urlOf('sweep'),
    relayUrl: urlOf('relay'),
    // Receivers under development stand on the machine of the developer.
    allowLoopback: true,
    metrics,
    log: jsonLog((line) => file.write(`${line}\n`)),
  };
  const running = startedWith(order, onNotice);
  undo.push(() => Promise.all(running.map((worker) => worker.stop())));
  return { names: running.map(({ name }) => name), app: createHealthApp({ workers: () => running, metrics }) };
}

/** An exporter that cannot be used is no reason to go without webhooks. */
function startedWith(
  order: Parameters<typeof startLedgerWorkers>[0],
  onNotice: (text: string) => void,
): RunningWorker[] {
  try {
    return startLedgerWorkers(order);
  } catch (error) {
    if (!(error instanceof RelayMisconfigured)) throw error;
    onNotice(`no traces: ${error.message}. ${error.remedy}`);
    return startLedgerWorkers({ ...order, env: {} });
  }
}

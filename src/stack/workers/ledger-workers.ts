import type { Registry } from 'prom-client';
import { createRelayMetrics, startRelay } from '../../relay/index.ts';
import { createSweepMetrics, startSweep } from '../../sweep/index.ts';
import type { RunningWorker } from './health.ts';
import type { Log } from './log.ts';

export interface LedgerWorkersOptions {
  /** As `ledger_sweep`; absent: it does not run. Any pooler will do. */
  sweepUrl?: string;
  /** As `ledger_relay`; absent: it does not run. Any pooler will do. */
  relayUrl?: string;
  /** Lets webhooks on this machine be called. */
  allowLoopback?: boolean;
  /** Where the exporter of traces is configured. Default `process.env`. */
  env?: Readonly<Record<string, string | undefined>>;
  /** Where their metrics go. */
  metrics: Registry;
  log: Log;
}

/**
 * Starts the workers that need the ledger alone, and no graph: pure JavaScript, so they may run in any process.
 *
 * @throws RelayMisconfigured when the environment names an exporter that cannot be used
 */
export function startLedgerWorkers(options: LedgerWorkersOptions): RunningWorker[] {
  const { sweepUrl, relayUrl, allowLoopback, env, metrics, log } = options;
  const running: RunningWorker[] = [];
  // First: it is the one that may refuse.
  if (relayUrl !== undefined) {
    const relay = startRelay({ url: relayUrl, allowLoopback, env, log });
    createRelayMetrics(() => [relay], metrics);
    running.push({ name: 'relay', status: () => relay.status(), stop: () => relay.stop() });
  }
  if (sweepUrl !== undefined) {
    const sweep = startSweep({ url: sweepUrl, log });
    createSweepMetrics(() => [sweep], metrics);
    running.unshift({ name: 'sweep', status: () => sweep.status(), stop: () => sweep.stop() });
  }
  return running;
}

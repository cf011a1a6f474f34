import { Counter, Gauge, Registry } from 'prom-client';
import type { SyncState, SyncStatus } from './types.ts';

const STATES = ['starting', 'standby', 'active', 'waiting', 'refused', 'stopped'] as const satisfies SyncState[];

/** Whatever tells a worker's status: a `SyncWorker`. */
export interface Observed {
  status(): SyncStatus;
}

export interface SyncMetrics {
  /** `await registry.metrics()` is the text to serve, `registry.contentType` its type. */
  registry: Registry;
}

/**
 * Prometheus metrics of sync workers, read from their status when they are asked for. All are labelled with `mirror`.
 *
 * @param workers the workers of this process, asked anew at each scrape
 * @param registry where to put them; a new one when absent
 */
export function createSyncMetrics(
  workers: () => readonly Observed[],
  registry: Registry = new Registry(),
): SyncMetrics {
  const each = (set: (status: SyncStatus) => void) => {
    for (const worker of workers()) set(worker.status());
  };
  const gauge = (name: string, help: string, read: (status: SyncStatus) => number | null) => {
    new Gauge({
      name: `outcome_ledger_sync_${name}`,
      help,
      labelNames: ['mirror'],
      registers: [registry],
      collect() {
        this.reset();
        each((status) => {
          const value = read(status);
          // What is not known is absent, so that an alert on absence finds it.
          if (value !== null) this.set({ mirror: status.mirror }, value);
        });
      },
    });
  };
  const counter = (
    name: string,
    help: string,
    label: string | null,
    read: (status: SyncStatus) => [string, number][],
  ) => {
    new Counter({
      name: `outcome_ledger_sync_${name}`,
      help,
      labelNames: label ? ['mirror', label] : ['mirror'],
      registers: [registry],
      collect() {
        this.reset();
        each((status) => {
          for (const [value, count] of read(status)) {
            this.inc({ mirror: status.mirror, ...(label ? { [label]: value } : {}) }, count);
          }
        });
      },
    });
  };

  gauge(
    'lag_rows',
    'Feed rows that the graph does not have yet; counting stops at 100,000.',
    (s) => s.lag?.rows ?? null,
  );
  gauge('lag_seconds', 'Age of the oldest of them, in seconds.', (s) => s.lag?.seconds ?? null);
  gauge('quarantined', 'Rows that the graph could not take.', (s) => s.quarantined);
  gauge('active', '1 while this worker mirrors; the sum over all workers of a mirror is 1.', (s) =>
    s.state === 'active' ? 1 : 0,
  );
  gauge('degraded', '1 while something is not as it should be; the status says what.', (s) =>
    s.degraded_by.length > 0 ? 1 : 0,
  );
  gauge(
    'feed_held_seconds',
    'Age of the oldest transaction that holds the feed back, in seconds; 0 when none does.',
    (s) => (s.lag ? Math.max(0, ...s.held_back_by.map((holder) => holder.age_s)) : null),
  );
  gauge('last_success_timestamp_seconds', 'When a pass last came to the end of the feed.', (s) =>
    s.last_pass_at ? Date.parse(s.last_pass_at) / 1000 : null,
  );
  counter('rows_total', 'Feed rows written to the graph.', null, (s) => [['', s.rows_written]]);
  counter('batches_total', 'Transactions of the graph that wrote them.', null, (s) => [['', s.batches_written]]);
  counter('rows_parked_total', 'Rows put into the quarantine.', null, (s) => [['', s.rows_parked]]);
  counter('faults_total', 'Faults by kind: passing, whole, row (of the graph), ledger (lost sessions).', 'kind', (s) =>
    Object.entries(s.faults),
  );
  new Gauge({
    name: 'outcome_ledger_sync_state',
    help: '1 for the state this worker is in, 0 for the others.',
    labelNames: ['mirror', 'state'],
    registers: [registry],
    collect() {
      this.reset();
      each((status) => {
        for (const state of STATES) this.set({ mirror: status.mirror, state }, status.state === state ? 1 : 0);
      });
    },
  });
  return { registry };
}

import { Counter, Gauge, Registry } from 'prom-client';
import { WORKER_STATES } from '../worker/standing.ts';
import type { SweepStatus } from './types.ts';

/** Whatever tells a sweep worker's status: a `SweepWorker`. */
export interface Observed {
  status(): SweepStatus;
}

/**
 * Prometheus metrics of sweep workers, read from their status when they are asked for.
 *
 * @param workers the sweep workers of this process, asked anew at each scrape
 * @param registry where to put them; a new one when absent
 */
export function createSweepMetrics(
  workers: () => readonly Observed[],
  registry: Registry = new Registry(),
): { registry: Registry } {
  const statuses = () => workers().map((worker) => worker.status());
  const gauge = (name: string, help: string, read: (status: SweepStatus) => number | null) => {
    new Gauge({
      name: `outcome_ledger_sweep_${name}`,
      help,
      registers: [registry],
      collect() {
        this.remove();
        for (const status of statuses()) {
          const value = read(status);
          // What is not known is absent, so that an alert on absence finds it.
          if (value !== null) this.set(value);
        }
      },
    });
  };
  const counter = (name: string, help: string, read: (status: SweepStatus) => number) => {
    new Counter({
      name: `outcome_ledger_sweep_${name}`,
      help,
      registers: [registry],
      collect() {
        this.reset();
        for (const status of statuses()) this.inc(read(status));
      },
    });
  };
  counter('timeouts_total', 'Timeouts written for what passed its deadline.', (s) => s.swept);
  counter('expired_requests_total', 'Requests to humans announced as expired.', (s) => s.expired_requests);
  gauge('skipped', 'Overdue, and left to those who write them, in the last pass.', (s) => s.skipped);
  gauge('degraded', '1 while something is not as it should be; the status says what.', (s) =>
    s.degraded_by.length > 0 ? 1 : 0,
  );
  gauge('last_success_timestamp_seconds', 'When the ledger was last swept.', (s) =>
    s.last_pass_at ? Date.parse(s.last_pass_at) / 1000 : null,
  );
  new Gauge({
    name: 'outcome_ledger_sweep_state',
    help: '1 for the state this worker is in, 0 for the others.',
    labelNames: ['state'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { state } of statuses())
        for (const word of WORKER_STATES) this.inc({ state: word }, word === state ? 1 : 0);
    },
  });
  return { registry };
}

import { Counter, Gauge, Registry } from 'prom-client';
import { WORKER_STATES } from '../worker/standing.ts';
import type { RelayStatus } from './types.ts';

/** Whatever tells a relay's status: a `RelayWorker`. */
export interface Observed {
  status(): RelayStatus;
}

export interface RelayMetrics {
  /** `await registry.metrics()` is the text to serve, `registry.contentType` its type. */
  registry: Registry;
}

/**
 * Prometheus metrics of relays, read from their status when they are asked for.
 *
 * @param workers the relays of this process, asked anew at each scrape
 * @param registry where to put them; a new one when absent
 */
export function createRelayMetrics(
  workers: () => readonly Observed[],
  registry: Registry = new Registry(),
): RelayMetrics {
  const statuses = () => workers().map((worker) => worker.status());
  const gauge = (name: string, help: string, read: (status: RelayStatus) => number | null) => {
    new Gauge({
      name: `outcome_ledger_relay_${name}`,
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
  const labelled = (
    kind: 'gauge' | 'counter',
    name: string,
    help: string,
    label: string,
    read: (status: RelayStatus) => [value: string, count: number][],
  ) => {
    const Metric = kind === 'gauge' ? Gauge : Counter;
    new Metric({
      name: `outcome_ledger_relay_${name}`,
      help,
      labelNames: [label],
      registers: [registry],
      collect(this: Gauge | Counter) {
        this.reset();
        for (const [value, count] of statuses().flatMap(read)) this.inc({ [label]: value }, count);
      },
    });
  };
  const counter = (name: string, help: string, read: (status: RelayStatus) => number) => {
    new Counter({
      name: `outcome_ledger_relay_${name}`,
      help,
      registers: [registry],
      collect() {
        this.reset();
        for (const status of statuses()) this.inc(read(status));
      },
    });
  };

  gauge('waiting', 'Events read for a webhook and not delivered yet.', (s) => s.queue?.waiting ?? null);
  gauge('oldest_waiting_seconds', 'Age of the oldest of them.', (s) => s.queue?.oldest_waiting_s ?? null);
  gauge('dead_letters', 'Events given up, until they are redelivered.', (s) => s.queue?.dead_letters ?? null);
  gauge('serving', 'Webhooks that this relay serves right now.', (s) => s.serving);
  gauge('degraded', '1 while something is not as it should be; the status says what.', (s) =>
    s.degraded_by.length > 0 ? 1 : 0,
  );
  gauge('feed_held_seconds', 'Age of the oldest transaction that holds events back; 0 when none does.', (s) =>
    s.queue ? Math.max(0, ...s.held_back_by.map((holder) => holder.age_s)) : null,
  );
  gauge('last_success_timestamp_seconds', 'When the ledger was last asked for something to deliver.', (s) =>
    s.last_pass_at ? Date.parse(s.last_pass_at) / 1000 : null,
  );
  labelled('gauge', 'webhooks', 'Webhooks by state; failing ones are active too.', 'state', (s) =>
    s.queue ? Object.entries(s.queue.webhooks) : [],
  );
  labelled('gauge', 'state', '1 for the state this relay is in, 0 for the others.', 'state', (s) =>
    WORKER_STATES.map((state) => [state, s.state === state ? 1 : 0]),
  );
  counter('delivered_total', 'Messages taken by receivers.', (s) => s.delivered);
  labelled('counter', 'failed_total', 'Attempts that failed, by code.', 'code', (s) => Object.entries(s.failed));
  counter('dead_lettered_total', 'Events given up.', (s) => s.dead_lettered);
  counter('spans_total', 'Spans that the traces’ endpoint took.', (s) => s.traces?.exported ?? 0);
  counter('spans_rejected_total', 'Spans that it refused for good.', (s) => s.traces?.rejected ?? 0);
  return { registry };
}

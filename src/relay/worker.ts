import { createSender } from './http/sender.ts';
import { RelayLedger } from './ledger.ts';
import { measureQueue } from './measure.ts';
import { type TraceConfig, traceConfig } from './otlp/config.ts';
import { createExporter } from './otlp/exporter.ts';
import { TraceLoop } from './otlp/loop.ts';
import { PACE, RETRIES } from './pace.ts';
import { StatusBoard } from './status-board.ts';
import { RelayMisconfigured, type RelayOptions, type RelayPace, type RelayWorker } from './types.ts';
import { WebhookLoop } from './webhooks/loop.ts';

/**
 * Starts a relay: it delivers the ledger's own events to webhooks, and exports spans where an endpoint is configured, until
 * it is stopped. It returns at once; a ledger that cannot be reached, or must not be, shows in `status()` and in the log, and
 * is tried again for ever.
 *
 * @throws RelayMisconfigured
 */
export function startRelay(options: RelayOptions): RelayWorker {
  const { log = () => undefined, random = Math.random, env = process.env } = options;
  const pace = checked({ ...PACE, ...options.pace });
  const traces = traceConfig(env);
  const board = new StatusBoard(traces && originOf(traces.endpoint), log);
  const ledger = new RelayLedger(options.url, pace.leaseMs);
  const sender = createSender({ reach: options.allowLoopback ? 'public_and_loopback' : 'public', ca: options.ca });
  const stopping = new AbortController();
  const common = { ledger, board, pace, random, stop: stopping.signal };
  const webhooks = new WebhookLoop({
    ...common,
    sender,
    source: (options.source ?? '/outcome-ledger').replace(/\/+$/, ''),
    concurrency: options.concurrency ?? 8,
    maxTurns: options.maxTurns ?? 64,
    schedule: { ...RETRIES, ...options.retry },
  });
  log({ level: 'info', message: 'relay starting', details: { traces: traces && originOf(traces.endpoint) } });
  const running = Promise.all([
    webhooks.run(),
    traces && exportTraces(traces, common),
    measureQueue(ledger, board, pace.measureMs, stopping.signal),
  ]);
  return {
    status: () => board.read(),
    async stop() {
      stopping.abort();
      await running;
      sender.close();
      await ledger.close();
      board.standing.enter('stopped');
    },
  };
}

/** Some vendors put a key into the path or the query: neither is anybody's who asks for the health. */
function originOf(endpoint: string): string {
  return new URL(endpoint).origin;
}

async function exportTraces(
  config: TraceConfig,
  common: Pick<ConstructorParameters<typeof TraceLoop>[0], 'ledger' | 'board' | 'pace' | 'random' | 'stop'>,
): Promise<void> {
  const exporter = createExporter(config);
  await new TraceLoop({ ...common, exporter, name: config.endpoint }).run();
  exporter.close();
}

// A lease is renewed when half of it is over, and must still stand when the message then under way ends.
function checked(pace: RelayPace): RelayPace {
  if (pace.leaseMs > 2 * pace.timeoutMs) return pace;
  throw new RelayMisconfigured(
    `a lease of ${pace.leaseMs} ms is too short for attempts of ${pace.timeoutMs} ms`,
    'Give `leaseMs` more than twice `timeoutMs`.',
  );
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { expect, onTestFinished } from 'vitest';
import { jsonb, uuid } from '../../src/database/statement.ts';
import { type RelayOptions, type RelayWorker, startRelay } from '../../src/relay/index.ts';
import type { TestDatabase } from './database.ts';
import { type Document, envelopeFor, invocationStart } from './envelopes.ts';
import type { Receiver } from './receiver.ts';
import { call, OPERATOR, ORCHESTRATOR } from './sql-ledger.ts';

/** A relay whose waits are short, with as many attempts as it takes. */
export const QUICK = {
  allowLoopback: true,
  env: {},
  pace: {
    busyMs: 5,
    idleMs: 50,
    refusedMs: 100,
    backoffMs: 10,
    backoffMaxMs: 100,
    leaseMs: 3000,
    timeoutMs: 1000,
    measureMs: 200,
  },
  retry: { baseMs: 20, capMs: 100, maxAttempts: 10_000 },
} satisfies Partial<RelayOptions>;

/** Starts a relay in this process; it is stopped after the test. */
export function relayOn(database: TestDatabase, over: Partial<RelayOptions> = {}): RelayWorker {
  const relay = startRelay({
    ...QUICK,
    url: database.urlAs('ledger_relay'),
    ...over,
    pace: { ...QUICK.pace, ...over.pace },
    retry: { ...QUICK.retry, ...over.retry },
  });
  onTestFinished(() => relay.stop());
  return relay;
}

/** Starts a relay in a process of its own, to be killed. */
export async function relayElsewhere(database: TestDatabase): Promise<ChildProcess> {
  const script = path.join(import.meta.dirname, 'relay-process.ts');
  const runner = path.join(import.meta.dirname, '../../node_modules/vite-node/vite-node.mjs');
  const env = { ...process.env, RELAY_URL: database.urlAs('ledger_relay') };
  const child = spawn(process.execPath, [runner, script], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => killProcess(child));
  await once(createInterface(child.stdout), 'line');
  return child;
}

export async function killProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

/** Registers a webhook, disabled after the test; its record carries the secret. */
export async function registered(
  database: TestDatabase,
  tenantId: string,
  url: string,
  over: Document = {},
): Promise<Document> {
  const operator = { tenantId, ...OPERATOR };
  const { record } = await call(database, operator, 'register_webhook', jsonb({ url, ...over }));
  // Another test's relay would go on with it.
  onTestFinished(async () => {
    await call(database, operator, 'disable_webhook', uuid(record['webhook_id']));
  });
  return record;
}

/** Ends invocations, one for each correlation named, in transactions of at most 100; statuses may differ. */
export async function endAll(
  database: TestDatabase,
  tenantId: string,
  correlations: readonly string[],
  statusOf: (n: number) => Parameters<typeof envelopeFor>[1] = () => 'success',
): Promise<void> {
  const caller = { tenantId, ...ORCHESTRATOR };
  for (let n = 0; n < correlations.length; n += 100) {
    const starts = correlations.slice(n, n + 100).map((correlation_id) => invocationStart({ correlation_id }));
    await call(database, caller, 'start_invocations', jsonb(starts));
    const outcomes = starts.map((start, index) => ({
      invocation_id: start['invocation_id'],
      outcome: envelopeFor(start, statusOf(n + index)),
    }));
    const answers = await call<Document[]>(database, caller, 'record_outcomes', jsonb(outcomes));
    expect(answers.map((answer) => answer['result'])).not.toContain('refused');
  }
}

/** The ids of a tenant's own events by correlation, in the order of the feed. */
export async function eventsOf(database: TestDatabase, tenantId: string): Promise<Map<string, string[]>> {
  const rows = await database.sql<{ event_id: string; correlation_id: string }[]>`
    select e.event_id, e.correlation_id from public.os_events e
     where e.tenant_id = ${tenantId} and e.kind = 'emitted' order by e.epoch, e.xid, e.seq`;
  const events = new Map<string, string[]>();
  for (const { event_id, correlation_id } of rows) {
    events.set(correlation_id, [...(events.get(correlation_id) ?? []), event_id]);
  }
  return events;
}

/** Every event arrived, and none of a correlation was sent before those ahead of it had been taken. */
export function expectInOrder(receiver: Receiver, events: ReadonlyMap<string, readonly string[]>): void {
  const took = new Set<string>();
  const ahead = new Map<string, readonly string[]>();
  for (const ids of events.values()) {
    for (const [n, id] of ids.entries()) ahead.set(id, ids.slice(0, n));
  }
  for (const { word, id } of receiver.log) {
    if (word === 'took') took.add(id);
    else
      expect(
        ahead.get(id)?.filter((one) => !took.has(one)),
        `sent before those ahead of it: ${id}`,
      ).toEqual([]);
  }
  expect([...took].sort()).toEqual([...events.values()].flat().sort());
}

/** Waits until a receiver has taken as many different messages. */
export async function expectTaken(receiver: Receiver, count: number, timeout = 50_000): Promise<void> {
  await expect
    .poll(() => new Set(receiver.took.map((message) => message.id)).size, { timeout, interval: 20 })
    .toBe(count);
}

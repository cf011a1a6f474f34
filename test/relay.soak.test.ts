// 1,000 outcomes while the receiver, the relay, or the database is killed again and again: in the end each event has arrived
// at least once, none of a correlation before those ahead of it had been taken, and nothing is dead or waiting.
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { uuid } from '../src/database/statement.ts';
import type { TestDatabase } from './support/database.ts';
import { randomFrom, shuffled } from './support/random.ts';
import { type Behaviour, type Receiver, startReceiver, taking } from './support/receiver.ts';
import {
  endAll,
  eventsOf,
  expectInOrder,
  expectTaken,
  killProcess,
  registered,
  relayElsewhere,
  relayOn,
} from './support/relay.ts';
import { useServer } from './support/server.ts';
import { call, OPERATOR } from './support/sql-ledger.ts';

const server = useServer();
const OUTCOMES = 1000;
const CORRELATIONS = 40;

/** 1,000 correlations in random order, in ten portions. */
function portions(random: () => number): string[][] {
  const all = shuffled(
    Array.from({ length: OUTCOMES }, (_, n) => `c${n % CORRELATIONS}`),
    random,
  );
  return Array.from({ length: 10 }, (_, n) => all.slice(n * 100, n * 100 + 100));
}

/** Takes with a little delay of its own for each message, so that a kill finds some under way. */
const unhurried =
  (random: () => number): Behaviour =>
  (message, response) => {
    setTimeout(() => taking(message, response), random() * 8);
  };

async function expectAll(
  database: TestDatabase,
  tenantId: string,
  webhookId: string,
  receiver: Receiver,
): Promise<void> {
  await expectTaken(receiver, OUTCOMES, 240_000);
  expectInOrder(receiver, await eventsOf(database, tenantId));
  const read = () => call(database, { tenantId, ...OPERATOR }, 'get_webhook', uuid(webhookId));
  await expect.poll(read, { timeout: 30_000 }).toMatchObject({ waiting: 0, dead_letters: 0, state: 'active' });
  console.info(`${receiver.came.length} messages for ${OUTCOMES} events`);
}

function seeded(name: string, seed: number): () => number {
  console.info(`${name}: seed ${seed}`);
  return randomFrom(seed);
}

it('the receiver is killed and restarted', { timeout: 300_000 }, async () => {
  const random = seeded('receiver', 1001);
  const { database } = server;
  const tenantId = await database.tenant();
  const receiver = await startReceiver(unhurried(random));
  const { webhook_id } = await registered(database, tenantId, receiver.url);
  const relay = relayOn(database);
  let kills = 0;
  for (const portion of portions(random)) {
    await endAll(database, tenantId, portion);
    const target = receiver.took.length + Math.ceil(random() * 60);
    await expect.poll(() => receiver.took.length, { timeout: 60_000, interval: 2 }).toBeGreaterThanOrEqual(target);
    await receiver.kill();
    kills += 1;
    await sleep(random() * 150);
    await receiver.restart();
  }
  await expectAll(database, tenantId, webhook_id, receiver);
  expect(kills).toBe(10);
  const { failed } = relay.status();
  expect((failed['connection_lost'] ?? 0) + (failed['connect_failed'] ?? 0)).toBeGreaterThan(0);
});

it('relays are killed and started, two at once', { timeout: 300_000 }, async () => {
  const random = seeded('relay', 1002);
  const { database } = server;
  const tenantId = await database.tenant();
  const receiver = await startReceiver(unhurried(random));
  const { webhook_id } = await registered(database, tenantId, receiver.url);
  const relays = [await relayElsewhere(database), await relayElsewhere(database)];
  for (const [n, portion] of portions(random).entries()) {
    await endAll(database, tenantId, portion);
    const target = receiver.took.length + Math.ceil(random() * 60);
    await expect.poll(() => receiver.took.length, { timeout: 60_000, interval: 2 }).toBeGreaterThanOrEqual(target);
    if (n % 2) continue;
    const [victim] = relays.splice(Math.floor(random() * 2), 1);
    if (victim) await killProcess(victim);
    relays.push(await relayElsewhere(database));
  }
  await expectAll(database, tenantId, webhook_id, receiver);
});

it('the database is killed as in a power cut', { timeout: 300_000 }, async () => {
  const random = seeded('database', 1003);
  const { database } = server;
  const tenantId = await database.tenant();
  const receiver = await startReceiver(unhurried(random));
  const { webhook_id } = await registered(database, tenantId, receiver.url);
  const relay = relayOn(database);
  for (const [n, portion] of portions(random).entries()) {
    await endAll(database, tenantId, portion);
    if (n % 3) continue;
    const target = receiver.took.length + Math.ceil(random() * 40);
    await expect.poll(() => receiver.took.length, { timeout: 60_000, interval: 2 }).toBeGreaterThanOrEqual(target);
    await server.kill('immediate');
    await expect.poll(() => relay.status().state, { timeout: 60_000 }).toBe('waiting');
    await server.restart();
    await expect.poll(() => relay.status().state, { timeout: 60_000 }).toBe('active');
  }
  await expectAll(database, tenantId, webhook_id, receiver);
});

import { afterEach, expect, test } from 'vitest';
import {
  type ScriptedAnswer,
  type ScriptedRequest,
  type ScriptedServer,
  startScriptedServer,
} from '../../test/support/scripted-server.ts';
import type { BatcherOptions } from './batcher.ts';
import type { OutcomeRequest } from './documents.ts';
import { LedgerError, LedgerUnreachableError } from './errors.ts';
import { outcomeBatcher } from './outcome-batcher.ts';
import { createTransport } from './transport.ts';

let server: ScriptedServer | undefined;
afterEach(async () => {
  await server?.stop();
  server = undefined;
});

const retry = { baseDelayMs: 1, maxDelayMs: 2, attempts: 4, requestTimeoutMs: 2_000 };

async function batcherTo(
  script: (request: ScriptedRequest) => ScriptedAnswer | Promise<ScriptedAnswer>,
  options: BatcherOptions = {},
) {
  const running = await startScriptedServer(script);
  server = running;
  const transport = createTransport({ url: running.url, accessToken: 't', retry });
  return { running, batcher: outcomeBatcher(transport, retry, options) };
}

const request = (id: string | number) =>
  ({ invocation_id: String(id), outcome: { n: id } }) as unknown as OutcomeRequest;
const idsOf = ({ json }: ScriptedRequest): string[] =>
  json.items.map((item: { invocation_id: string }) => item.invocation_id);
const recorded = (id: string) => ({ status: 201, replayed: false, outcome: { outcome_id: `o-${id}` } });
const allRecorded = (sent: ScriptedRequest): ScriptedAnswer => ({
  status: 200,
  body: { items: idsOf(sent).map(recorded) },
});

test('calls made together travel together, and each gets its own answer', async () => {
  const { running, batcher } = await batcherTo(allRecorded, { maxItems: 10, maxDelayMs: 5 });
  const answers = await Promise.all(Array.from({ length: 25 }, (_, n) => batcher.record(request(n))));
  expect(answers.map(({ outcome }) => outcome.outcome_id)).toEqual(Array.from({ length: 25 }, (_, n) => `o-${n}`));
  expect(running.requests.map((sent) => idsOf(sent).length).sort()).toEqual([10, 10, 5].sort());
  expect(batcher.pending).toBe(0);
});

test('one bad item harms no other', async () => {
  const { batcher } = await batcherTo((sent) => ({
    status: 200,
    body: {
      items: idsOf(sent).map((id) =>
        id === '2'
          ? { status: 409, problem: { code: 'outcome_conflict', status: 409, detail: 'd', outcome_id: 'winner' } }
          : recorded(id),
      ),
    },
  }));
  const settled = await Promise.allSettled([1, 2, 3].map((id) => batcher.record(request(id))));
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  expect(settled[1]).toMatchObject({ reason: { code: 'outcome_conflict', outcomeId: 'winner' } });
});

test('a batch whose reply is lost is sent again whole', async () => {
  const { running, batcher } = await batcherTo((sent) => (sent.number === 1 ? 'drop' : allRecorded(sent)));
  await Promise.all([1, 2, 3].map((id) => batcher.record(request(id))));
  expect(running.requests.map(({ text }) => text)).toEqual([running.requests[0]?.text, running.requests[0]?.text]);
});

test('items that a passing fault left undone are sent again, the others not', async () => {
  const { running, batcher } = await batcherTo((sent) => ({
    status: 200,
    body: {
      items: idsOf(sent).map((id) =>
        id === '2' && sent.number < 3
          ? { status: 503, problem: { code: 'database_unavailable', status: 503, detail: 'd' } }
          : recorded(id),
      ),
    },
  }));
  await Promise.all([1, 2, 3].map((id) => batcher.record(request(id))));
  expect(running.requests.map(idsOf)).toEqual([['1', '2', '3'], ['2'], ['2']]);
});

test('a body refused as a whole is split until the bad item stands alone', async () => {
  const { batcher } = await batcherTo((sent) =>
    idsOf(sent).includes('3')
      ? { status: 413, body: { code: 'payload_too_large', status: 413, detail: 'd' } }
      : allRecorded(sent),
  );
  const settled = await Promise.allSettled([1, 2, 3, 4, 5].map((id) => batcher.record(request(id))));
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
});

test('when the ledger stays away, every caller has an error of its own', async () => {
  const { batcher } = await batcherTo(() => 'drop');
  const settled = await Promise.allSettled([1, 2].map((id) => batcher.record(request(id))));
  const reasons = settled.map((one) => (one.status === 'rejected' ? one.reason : undefined));
  for (const reason of reasons) expect(reason).toBeInstanceOf(LedgerUnreachableError);
  expect(reasons[0]).not.toBe(reasons[1]);
});

test('an answer of another form is an error, not a wait for ever', async () => {
  const { batcher } = await batcherTo((sent) => ({
    status: 200,
    body: sent.number === 1 ? { items: [] } : { items: [{ status: 201 }] },
  }));
  await expect(batcher.record(request(1))).rejects.toBeInstanceOf(LedgerError);
  await expect(batcher.record(request(2))).rejects.toMatchObject({ code: 'reply_unreadable' });
});

test('the queue is bounded: callers wait in order, or are refused', async () => {
  let release: (() => void) | undefined;
  const gate = new Promise<void>((resolve) => {
    release = resolve;
  });
  const options = { maxItems: 2, maxQueued: 4, maxDelayMs: 1, maxInFlight: 1 };
  const { running, batcher } = await batcherTo(async (sent) => {
    await gate;
    return allRecorded(sent);
  }, options);
  const answers = Array.from({ length: 11 }, (_, n) => batcher.record(request(n)));
  let room = false;
  const waitsForRoom = batcher.room().then(() => {
    room = true;
  });
  await expect.poll(() => running.requests.length, { timeout: 10_000 }).toBe(1);
  await new Promise((resolve) => setTimeout(resolve, 30));
  expect(running.requests).toHaveLength(1);
  expect(room).toBe(false);
  release?.();
  await Promise.all(answers);
  await waitsForRoom;
  expect(running.requests.flatMap(idsOf)).toEqual(Array.from({ length: 11 }, (_, n) => String(n)));
});

test('with overflow "reject" a full queue says so', async () => {
  const { batcher } = await batcherTo(allRecorded, { maxQueued: 2, overflow: 'reject' });
  const settled = await Promise.allSettled([1, 2, 3].map((id) => batcher.record(request(id))));
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
  expect(settled[2]).toMatchObject({ reason: { code: 'queue_full' } });
  await expect(batcher.record(request(4))).resolves.toBeDefined();
});

test('close sends what is waiting and takes no more; nothing waits for the delay', async () => {
  const { batcher } = await batcherTo(allRecorded, { maxDelayMs: 60_000 });
  const waiting = batcher.record(request(1));
  await batcher.close();
  expect((await waiting).outcome.outcome_id).toBe('o-1');
  await expect(batcher.record(request(2))).rejects.toMatchObject({ code: 'batcher_closed' });
});

test('an item without a JSON form is refused alone, before it is sent', async () => {
  const { running, batcher } = await batcherTo(allRecorded, { maxDelayMs: 1 });
  const bad = { invocation_id: '1', outcome: { result: { n: Number.NaN } } } as unknown as OutcomeRequest;
  await expect(batcher.record(bad)).rejects.toMatchObject({
    code: 'not_storable',
    violations: [{ path: '/outcome/result/n' }],
  });
  expect(running.requests).toHaveLength(0);
});

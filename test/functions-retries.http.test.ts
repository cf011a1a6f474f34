// The same request many times, at once or again: one record, and everybody is answered.
import { request as rawRequest } from 'node:http';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Answered, type Api, apiOf, expectProblem } from './functions-client.ts';
import { type Document, envelopeFor, invocationStart } from './support/envelopes.ts';
import { useStack } from './support/stack.ts';

const stack = useStack();
let tenantId: string;
let api: Api;

beforeAll(async () => {
  tenantId = await stack.database.tenant();
  api = await apiOf(stack, { tenantId });
});

async function started(): Promise<Document> {
  const start = invocationStart();
  await api('POST', '/invocations', start);
  return start;
}

const rows = async (start: Document) => {
  const [row] = await stack.database.sql`
    select count(*)::int as n from public.agent_invocation_outcomes where invocation_id = ${start['invocation_id']}`;
  return row?.['n'];
};

// B058: the key is taken before the work is done.
describe('twenty at once', () => {
  test('of the same outcome: one recorded, the rest replayed with its id', async () => {
    for (let round = 0; round < 5; round += 1) {
      const start = await started();
      const body = { invocation_id: start['invocation_id'], outcome: envelopeFor(start) };
      const answers = await Promise.all(Array.from({ length: 20 }, () => api('POST', '/outcomes', body)));
      expect(answers.map((answer) => answer.status).sort()).toEqual([...Array(19).fill(200), 201]);
      expect(new Set(answers.map((answer) => answer.body.outcome_id)).size).toBe(1);
      expect(await rows(start)).toBe(1);
    }
  });

  test('of different outcomes: one recorded, the rest told who won', async () => {
    const start = await started();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        api('POST', '/outcomes', {
          invocation_id: start['invocation_id'],
          outcome: envelopeFor(start, 'success', { result: { n } }),
        }),
      ),
    );
    const won = answers.find((answer) => answer.status === 201) as Answered;
    const lost = answers.filter((answer) => answer !== won);
    for (const answer of lost)
      expect(expectProblem(answer, 409, 'outcome_conflict')['outcome_id']).toBe(won.body.outcome_id);
    expect((await api('GET', `/outcomes/${won.body.outcome_id}`)).body.late).toHaveLength(19);
  });

  test('of the same start, and of the same batch', async () => {
    const start = invocationStart();
    const singles = await Promise.all(Array.from({ length: 20 }, () => api('POST', '/invocations', start)));
    expect(singles.filter((answer) => answer.status === 201)).toHaveLength(1);
    expect(singles.filter((answer) => answer.status === 200)).toHaveLength(19);
    const items = Array.from({ length: 30 }, () => invocationStart());
    await api('POST', '/invocations/batch', items);
    const outcomes = items.map((one) => ({ invocation_id: one['invocation_id'], outcome: envelopeFor(one) }));
    const shuffled = () => outcomes.toSorted(() => Math.random() - 0.5);
    const batches = await Promise.all(Array.from({ length: 6 }, () => api('POST', '/outcomes/batch', shuffled())));
    const statuses = batches.flatMap((batch) => batch.body.items.map((item: Document) => item['status']));
    expect(statuses.filter((status) => status === 201)).toHaveLength(30);
    expect(statuses.filter((status) => status === 200)).toHaveLength(150);
  });
});

// B060: an answer lost after the commit is asked for again.
test('a lost answer is found again, and a new invocation is a new record', async () => {
  const start = await started();
  const body = JSON.stringify({ invocation_id: start['invocation_id'], outcome: envelopeFor(start) });
  const { authorization } = await stack.bearer({ tenantId, role: 'orchestrator', actorId: 'os-agt-001' });
  await new Promise<void>((resolve) => {
    const headers = {
      authorization,
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
    };
    const lost = rawRequest(`${stack.functionsUrl}/outcomes`, { method: 'POST', headers });
    lost.on('error', () => resolve());
    lost.on('close', () => resolve());
    // The request has left; whoever asked is gone before the answer.
    lost.end(body, () => setTimeout(() => lost.destroy(), 1));
  });
  let again = await api('POST', '/outcomes', body);
  for (let n = 0; n < 20 && again.status === 201; n += 1) again = await api('POST', '/outcomes', body);
  expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
  expect(await rows(start)).toBe(1);
  const next = await started();
  const other = await api('POST', '/outcomes', { invocation_id: next['invocation_id'], outcome: envelopeFor(next) });
  expect(other.status).toBe(201);
  expect(other.body.outcome_id).not.toBe(again.body.outcome_id);
});

// B057: many cold requests share few connections.
test('a hundred at once need no more connections than the process may have', async () => {
  const starts = await Promise.all(Array.from({ length: 100 }, () => started()));
  let most = 0;
  const watch = setInterval(async () => {
    const [row] = await stack.database.admin`
      select count(*)::int as n from pg_stat_activity where datname = ${stack.database.name} and usename = 'ledger_gateway'`;
    most = Math.max(most, row?.['n'] ?? 0);
  }, 10);
  const answers = await Promise.all(
    starts.map((start) =>
      api('POST', '/outcomes', { invocation_id: start['invocation_id'], outcome: envelopeFor(start) }),
    ),
  );
  clearInterval(watch);
  expect(answers.every((answer) => answer.status === 201)).toBe(true);
  expect(most).toBeLessThanOrEqual(16);
});

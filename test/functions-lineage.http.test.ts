// Lineage over HTTP: why, impact, correlations, gaps, declared links.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import { type Api, apiOf, expectProblem, paths } from './functions-client.ts';
import { type Document, declaredLink, envelopeFor, executionStart, invocationStart } from './support/envelopes.ts';
import { useStack } from './support/stack.ts';

const stack = useStack();
let tenantId: string;
let api: Api;

beforeAll(async () => {
  tenantId = await stack.database.tenant();
  api = await apiOf(stack, { tenantId });
});

async function recorded(over: Document = {}): Promise<string> {
  const start = invocationStart(over);
  await api('POST', '/invocations', start);
  const { body } = await api('POST', '/outcomes', {
    invocation_id: start['invocation_id'],
    outcome: envelopeFor(start),
  });
  return body.outcome_id;
}

const ids = (document: Document) => document['nodes'].map((node: Document) => node['outcome_id']);

describe('a chain', () => {
  const chain: string[] = [];
  beforeAll(async () => {
    for (let n = 0; n < 5; n += 1) {
      chain.push(await recorded(n === 0 ? {} : { causation_id: chain[n - 1] as string }));
    }
  });

  test('why goes back to the first cause, impact on to the last effect', async () => {
    const why = await api('GET', `/lineage/outcomes/${chain[4]}/why`);
    expect(why.body).toMatchObject({ outcome_id: chain[4], direction: 'why', max_depth: 20, truncated: false });
    expect(ids(why.body)).toEqual([...chain].reverse());
    expect(why.body.nodes[0]).toMatchObject({ depth: 0, relation: null, via_outcome_id: null });
    expect(why.body.links).toHaveLength(4);
    const impact = await api('GET', `/lineage/outcomes/${chain[0]}/impact`);
    expect(ids(impact.body)).toEqual(chain);
  });

  test('a depth cuts it off and says so', async () => {
    const { body } = await api('GET', `/lineage/outcomes/${chain[4]}/why?max_depth=2`);
    expect(body.truncated).toBe(true);
    expect(ids(body)).toEqual([chain[4], chain[3], chain[2]]);
  });

  // B015: silly depths are refused.
  test.each(['1000000', '-1', '1.5', '0', '65', 'x', '', '1e1', ' 5', '99999999999999999999'])(
    'a depth of %j is refused',
    async (depth) => {
      for (const direction of ['why', 'impact']) {
        const refused = await api(
          'GET',
          `/lineage/outcomes/${chain[0]}/${direction}?max_depth=${encodeURIComponent(depth)}`,
        );
        expect(paths(expectProblem(refused, 422, 'request_invalid'))).toEqual(['/query/max_depth']);
      }
    },
  );

  test('an unknown outcome and one of another tenant have no lineage', async () => {
    const stranger = await apiOf(stack, { tenantId: await stack.database.tenant() });
    expectProblem(await stranger('GET', `/lineage/outcomes/${chain[0]}/why`), 404, 'unknown_outcome');
    expectProblem(await api('GET', `/lineage/outcomes/${randomUUID()}/impact`), 404, 'unknown_outcome');
    expectProblem(await api('GET', '/lineage/outcomes/x/why'), 422, 'request_invalid');
  });
});

// B015: bounded also where causes go round in circles.
test('thirty outcomes with ninety links that go round: each once, quickly', async () => {
  const nodes: string[] = [];
  for (let n = 0; n < 30; n += 1) nodes.push(await recorded());
  for (let n = 0; n < 30; n += 1) {
    for (const step of [1, 7, 11]) {
      const link = declaredLink(nodes[n] as string, nodes[(n + step) % 30] as string);
      expect((await api('POST', '/lineage/links', link)).status).toBe(201);
    }
  }
  for (const query of ['', '?max_depth=64']) {
    const begun = performance.now();
    const { body } = await api('GET', `/lineage/outcomes/${nodes[0]}/why${query}`);
    expect(performance.now() - begun).toBeLessThan(5000);
    expect(new Set(ids(body)).size).toBe(30);
    expect(ids(body)).toHaveLength(30);
    expect(body.truncated).toBe(false);
  }
});

describe('declared links', () => {
  test('once, replayed, orchestrators only', async () => {
    const [a, b] = [await recorded(), await recorded()];
    const first = await api('POST', '/lineage/links', declaredLink(a, b));
    expect(first.status).toBe(201);
    expect(first.body).toMatchObject({ source_outcome_id: a, target_outcome_id: b, relation: 'invoked' });
    expect((await api('POST', '/lineage/links', declaredLink(a, b))).headers.get('idempotent-replayed')).toBe('true');
    const agent = await apiOf(stack, { tenantId, role: 'agent', actorId: 'art-agt-003' });
    expectProblem(await agent('POST', '/lineage/links', declaredLink(b, a)), 403, 'not_permitted');
  });

  // B041: a foreign outcome and no outcome are the same refusal.
  test('to a foreign outcome and to none are refused alike', async () => {
    const stranger = await apiOf(stack, { tenantId: await stack.database.tenant() });
    const start = invocationStart();
    await stranger('POST', '/invocations', start);
    const theirs = await stranger('POST', '/outcomes', {
      invocation_id: start['invocation_id'],
      outcome: envelopeFor(start),
    });
    const mine = await recorded();
    const answers = await Promise.all(
      [theirs.body.outcome_id, randomUUID()].map((id) => api('POST', '/lineage/links', declaredLink(mine, id))),
    );
    const [foreign, unknown] = answers.map((answer) => {
      const { request_id: _, ...rest } = answer.body;
      return rest;
    });
    expect(answers[0]?.status).toBeGreaterThanOrEqual(400);
    expect(foreign).toEqual(unknown);
  });

  test('to itself, or of another relation, are refused', async () => {
    const a = await recorded();
    expect((await api('POST', '/lineage/links', declaredLink(a, a))).status).toBe(422);
    const b = await recorded();
    expect((await api('POST', '/lineage/links', declaredLink(a, b, 'governed-by'))).status).toBe(422);
    expectProblem(await api('POST', '/lineage/links', declaredLink(a, b, 'contributed-to')), 422, 'lineage_invalid');
  });
});

test('a correlation shows outcomes, links and what is open', async () => {
  const correlation_id = `corr/${randomUUID()} é`;
  const execution = executionStart({ correlation_id });
  await api('POST', '/executions', execution);
  const outcome = await recorded({ correlation_id, execution_id: execution['execution_id'] });
  const { body } = await api('GET', `/lineage/correlations/${encodeURIComponent(correlation_id)}`);
  expect(body.correlation_id).toBe(correlation_id);
  expect(ids(body)).toEqual([outcome]);
  expect(body.open).toMatchObject([
    { subject_type: 'execution', subject_id: execution['execution_id'], state: 'running' },
  ]);
  const none = await api('GET', '/lineage/correlations/nothing');
  expect(none.body).toEqual({ correlation_id: 'nothing', nodes: [], links: [], open: [] });
});

test('gaps name what is missing, and the kinds are closed', async () => {
  const cause = `nobody-${randomUUID()}`;
  await recorded({ causation_id: cause });
  await recorded({ causation_id: `nobody-${randomUUID()}` });
  const { body } = await api('GET', '/lineage/gaps?gap=unresolved_causation&limit=1000');
  expect([body.next_cursor, body.truncated]).toEqual([null, false]);
  expect(body.items.map((item: Document) => item['detail'].causation_id)).toContain(cause);
  const few = await api('GET', '/lineage/gaps?gap=unresolved_causation&limit=1');
  expect([few.body.items.length, few.body.truncated]).toEqual([1, true]);
  expect(paths(expectProblem(await api('GET', '/lineage/gaps?gap=holes'), 422, 'request_invalid'))).toEqual([
    '/query/gap',
  ]);
});

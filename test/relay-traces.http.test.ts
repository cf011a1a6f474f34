// Traces: what has ended becomes spans at an OTLP endpoint, each once in the end, whatever the endpoint answers meanwhile.
import { randomUUID } from 'node:crypto';
import { expect, it } from 'vitest';
import { jsonb } from '../src/database/statement.ts';
import { useDatabase } from './support/database.ts';
import { type Document, invocationStart } from './support/envelopes.ts';
import { answering, type Behaviour, type Receiver, startReceiver } from './support/receiver.ts';
import { endAll, relayOn } from './support/relay.ts';
import { GUARD, ORCHESTRATOR, sqlLedger } from './support/sql-ledger.ts';

const database = useDatabase();
const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

const accepting = answering(200, { 'content-type': 'application/json' }, '{}');
const envOf = (endpoint: Receiver, over: Record<string, string> = {}) => ({
  OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${endpoint.port}`,
  ...over,
});

function spansIn(message: Document): Document[] {
  const [resource] = message['resourceSpans'];
  expect(message['resourceSpans']).toHaveLength(1);
  expect(resource.scopeSpans).toMatchObject([{ scope: { name: 'outcome-ledger' } }]);
  return resource.scopeSpans[0].spans;
}
const attribute = (span: Document, name: string): string | undefined =>
  span['attributes'].find((one: Document) => one['key'] === name)?.value.stringValue;
/** Spans of a tenant that the endpoint took. */
const taken = (endpoint: Receiver, tenantId: string): Document[] =>
  endpoint.took
    .flatMap((message) => spansIn(message.event))
    .filter((span) => attribute(span, 'outcome_ledger.tenant.id') === tenantId);

/** A relay whose exporter has its position: what ends from now on becomes spans. */
async function exporting(endpoint: Receiver, over: Parameters<typeof relayOn>[1] = {}) {
  const relay = relayOn(database, { env: envOf(endpoint), ...over });
  await expect.poll(() => relay.status().traces?.state, { timeout: 20_000 }).toMatch(/^(active|standby)$/);
  return relay;
}

const expectSpans = (endpoint: Receiver, tenantId: string, count: number) =>
  expect
    .poll(() => new Set(taken(endpoint, tenantId).map((span) => span['spanId'])).size, { timeout: 30_000 })
    .toBe(count);

it('one span for each invocation and execution, from start to outcome, below its cause', async () => {
  const tenantId = await database.tenant();
  const endpoint = await startReceiver(accepting);
  const relay = await exporting(endpoint, {
    env: envOf(endpoint, {
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20x',
      OTEL_SERVICE_NAME: 'ledger-of-art',
    }),
  });
  const ledger = sqlLedger(database, { tenantId, ...ORCHESTRATOR });
  const execution = await ledger.startExecution({ correlation_id: 'order', traceparent: TRACEPARENT });
  const within = { correlation_id: 'order', traceparent: undefined, execution_id: execution['execution_id'] };
  const first = await ledger.start({ ...within, causation_id: execution['execution_id'], traceparent: TRACEPARENT });
  const firstOutcome = await ledger.end(first);
  const alone = await ledger.start({ correlation_id: 'alone' });
  const aloneOutcome = await ledger.end(alone);
  const effect = await ledger.start({ correlation_id: 'alone', causation_id: aloneOutcome });
  await ledger.end(effect, 'failure');
  const timedOut = await ledger.start({ correlation_id: 'alone', causation_id: alone['invocation_id'] });
  await ledger.end(timedOut, 'timeout');
  const blocked = await ledger.start({ correlation_id: 'alone', causation_id: firstOutcome });
  const guard = sqlLedger(database, { tenantId, ...GUARD });
  const decision = {
    decision: 'block',
    policy_rule_triggered: 'r',
    risk_score: 0.9,
    requires_hitl: false,
    evaluated_at: '2026-05-20T10:00:00.100Z',
  };
  await guard.decide({ invocation_id: blocked['invocation_id'], ...decision });
  await ledger.end(blocked, 'blocked', { policy: decision });
  await ledger.end(execution, 'success', { errors: [] });
  await expectSpans(endpoint, tenantId, 6);

  const spans = new Map(
    taken(endpoint, tenantId).map((span) => [
      attribute(span, 'outcome_ledger.invocation.id') ?? attribute(span, 'outcome_ledger.execution.id'),
      span,
    ]),
  );
  const spanOf = (start: Document) => spans.get(start['invocation_id'] ?? start['execution_id']) as Document;
  expect(spanOf(execution)).toMatchObject({
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    parentSpanId: '00f067aa0ba902b7',
    name: 'invoke_workflow WF-ART-003-EDITION-ALLOCATION',
    startTimeUnixNano: '1779271200000000000',
    endTimeUnixNano: '1779271201850000000',
    status: {},
  });
  // It named its parent itself, and is linked to its cause.
  expect(spanOf(first)).toMatchObject({
    traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
    parentSpanId: '00f067aa0ba902b7',
    links: [{ traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: spanOf(execution)['spanId'] }],
  });
  const { traceId } = spanOf(alone);
  expect(spanOf(alone)).not.toHaveProperty('parentSpanId');
  expect(spanOf(effect)).toMatchObject({
    traceId,
    parentSpanId: spanOf(alone)['spanId'],
    status: { code: 2, message: 'VALIDATION_FAILED' },
  });
  expect(spanOf(timedOut)).toMatchObject({
    traceId,
    parentSpanId: spanOf(alone)['spanId'],
    status: { code: 2, message: 'TIMEOUT' },
  });
  // Its cause belongs to another trace.
  expect(spanOf(blocked)).toMatchObject({ traceId, links: [{ spanId: spanOf(first)['spanId'] }], status: {} });
  expect(attribute(spanOf(blocked), 'outcome_ledger.policy.decision')).toBe('block');
  expect(attribute(spanOf(first), 'outcome_ledger.execution.id')).toBe(execution['execution_id']);

  const [message] = endpoint.took;
  expect(message?.headers).toMatchObject({ authorization: 'Bearer x', 'content-type': 'application/json' });
  expect(message?.path).toBe('/v1/traces');
  expect(message?.event['resourceSpans'][0].resource.attributes).toEqual([
    { key: 'service.name', value: { stringValue: 'ledger-of-art' } },
  ]);
  expect(JSON.stringify(endpoint.took.map(({ body }) => body))).not.toContain('allocated_editions');
  await relay.stop();
  expect(relay.status().traces).toMatchObject({ state: 'stopped', exported: 6, rejected: 0 });
});

it.each([
  ['429 with Retry-After', answering(429, { 'retry-after': '0' })],
  ['503', answering(503)],
  ['502', answering(502)],
  ['a cut connection', ((_, response) => response.socket?.destroy()) as Behaviour],
])('%s is tried again, and nothing is lost', async (_, refusing) => {
  const tenantId = await database.tenant();
  const endpoint = await startReceiver(accepting);
  const relay = await exporting(endpoint);
  endpoint.behave(refusing);
  await endAll(database, tenantId, ['a', 'b', 'c']);
  await expect.poll(() => relay.status().traces?.state, { timeout: 20_000 }).toBe('waiting');
  expect(relay.status()).toMatchObject({ state: 'active', degraded_by: [{ code: expect.any(String), remedy: null }] });
  await endAll(database, tenantId, ['d']);
  endpoint.behave(accepting);
  await expectSpans(endpoint, tenantId, 4);
  await expect
    .poll(() => relay.status().traces)
    .toMatchObject({ state: 'active', exported: 4, rejected: 0, reason: null });
  expect(taken(endpoint, tenantId)).toHaveLength(4);
});

it('an endpoint that does not let it in is told, with what to do, and nothing is lost', async () => {
  const tenantId = await database.tenant();
  const endpoint = await startReceiver(accepting);
  const relay = await exporting(endpoint);
  endpoint.behave(answering(401, {}, 'no token'));
  await endAll(database, tenantId, ['a']);
  await expect
    .poll(() => relay.status().traces?.reason, { timeout: 20_000 })
    .toMatchObject({
      code: 'traces_refused',
      message: expect.stringContaining('401: no token'),
      remedy: expect.stringContaining('OTEL_EXPORTER_OTLP_HEADERS'),
    });
  endpoint.behave(accepting);
  await expectSpans(endpoint, tenantId, 1);
});

it('a span that is refused for good takes no other with it', async () => {
  const tenantId = await database.tenant();
  const choosy: Behaviour = (message, response) =>
    (JSON.stringify(message.event).includes('"poison"') ? answering(400) : accepting)(message, response);
  const endpoint = await startReceiver(choosy);
  const relay = await exporting(endpoint);
  await endAll(database, tenantId, ['a', 'b', 'poison', 'c', 'd', 'e', 'f']);
  await expectSpans(endpoint, tenantId, 6);
  await expect.poll(() => relay.status().traces).toMatchObject({ state: 'active', exported: 6, rejected: 1 });
});

it('a partial success counts what was not taken', async () => {
  const tenantId = await database.tenant();
  const endpoint = await startReceiver(
    answering(200, {}, '{"partialSuccess":{"rejectedSpans":"1","errorMessage":"no"}}'),
  );
  const relay = await exporting(endpoint);
  await endAll(database, tenantId, ['a', 'b']);
  await expect
    .poll(() => relay.status().traces, { timeout: 20_000 })
    .toMatchObject({ exported: 1, rejected: 1, state: 'active' });
});

it('a relay that starts again goes on where the last one stood, and an endpoint begins when it is named', async () => {
  const tenantId = await database.tenant();
  await endAll(database, tenantId, ['before']);
  const endpoint = await startReceiver(accepting);
  const first = await exporting(endpoint);
  // What ended before it stood is not exported.
  await expect.poll(() => first.status().traces?.state, { timeout: 20_000 }).toBe('active');
  await endAll(database, tenantId, ['a']);
  await expectSpans(endpoint, tenantId, 1);
  await first.stop();
  await endAll(database, tenantId, ['b', 'c']);
  await exporting(endpoint);
  await expectSpans(endpoint, tenantId, 3);
  expect(taken(endpoint, tenantId).map((span) => attribute(span, 'outcome_ledger.correlation.id'))).toEqual([
    'a',
    'b',
    'c',
  ]);
});

it('of two relays one exports, and the other takes over', async () => {
  const tenantId = await database.tenant();
  const endpoint = await startReceiver(accepting);
  const first = await exporting(endpoint);
  const second = await exporting(endpoint);
  await expect.poll(() => second.status().traces?.state, { timeout: 20_000 }).toBe('standby');
  await endAll(database, tenantId, ['a', 'b', 'c', 'd']);
  await expectSpans(endpoint, tenantId, 4);
  expect(taken(endpoint, tenantId)).toHaveLength(4);
  await first.stop();
  await endAll(database, tenantId, ['e']);
  await expectSpans(endpoint, tenantId, 5);
});

it('an event that others registered is a cause too', async () => {
  const tenantId = await database.tenant();
  const endpoint = await startReceiver(accepting);
  await exporting(endpoint);
  const ledger = sqlLedger(database, { tenantId, ...ORCHESTRATOR });
  const cause = await ledger.start({ correlation_id: 'e' });
  const event_id = `event-${randomUUID()}`;
  await ledger.event({ event_id, type: 'art.done', invocation_id: cause['invocation_id'] });
  const effect = invocationStart({ correlation_id: 'e', causation_id: event_id });
  await ledger.ask('start_invocation', jsonb(effect));
  await ledger.end(cause);
  await ledger.end(effect);
  await expectSpans(endpoint, tenantId, 2);
  const [one, two] = taken(endpoint, tenantId);
  expect(two?.['parentSpanId']).toBe(one?.['spanId']);
});

// Artifacts over HTTP: their content, whose they are, and those that lie in an object store.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { LedgerApp } from '../functions/index.ts';
import { createDeps, FUNCTIONS, type LogEntry } from '../functions/index.ts';
import { type Api, answered, apiOf, expectProblem, paths } from './functions-client.ts';
import { type Document, invocationStart } from './support/envelopes.ts';
import { CLEAN, conclusion, PLAN, report } from './support/phase-requests.ts';
import { useStack } from './support/stack.ts';
import { type StorageStandIn, startStorageStandIn } from './support/storage-api.ts';

const stack = useStack();
const MIB = 1_048_576;
const out = (name: string) => `artifacts/output/${name}`;
let tenantId: string;
let api: Api;

beforeAll(async () => {
  tenantId = await stack.database.tenant();
  api = await apiOf(stack, { tenantId });
});

async function started(): Promise<Document> {
  const start = invocationStart();
  expect((await api('POST', '/invocations', start)).status).toBe(201);
  return start;
}

describe('an artifact', () => {
  let artifacts: Document[];
  let concluded: Document;
  beforeAll(async () => {
    const files = [PLAN, { path: out('a.bin'), content: { base64: 'AP8B' } }];
    const start = await started();
    concluded = (await api('POST', `/invocations/${start['invocation_id']}/conclude`, conclusion({ files }))).body;
    artifacts = concluded['artifacts'];
  });

  test('is read with its content, as text or as base64', async () => {
    const contents = [PLAN.content, { base64: 'AP8B' }];
    for (const [n, artifact] of artifacts.entries()) {
      const { status, body } = await api('GET', `/artifacts/${artifact['artifact_id']}`);
      expect(status).toBe(200);
      expect(body).toEqual({
        ...artifact,
        invocation_id: concluded['invocation_id'],
        execution_id: null,
        outcome_id: concluded['outcome_id'],
        content: contents[n],
        url: null,
        recorded_at: expect.stringMatching(/^\d{4}-.*Z$/),
        recorded_by: 'os-agt-001',
      });
    }
  });

  test('is readable by every role of its tenant', async () => {
    for (const role of ['agent', 'worker', 'policy_guard', 'operator', 'auditor'] as const) {
      const reader = await apiOf(stack, { tenantId, role, actorId: 'eve' });
      expect((await reader('GET', `/artifacts/${artifacts[0]?.['artifact_id']}`)).status).toBe(200);
    }
  });

  test('of another tenant is as unknown as none', async () => {
    const stranger = await apiOf(stack, { tenantId: await stack.database.tenant() });
    const foreign = expectProblem(
      await stranger('GET', `/artifacts/${artifacts[0]?.['artifact_id']}`),
      404,
      'unknown_artifact',
    );
    const unknown = expectProblem(await stranger('GET', `/artifacts/${randomUUID()}`), 404, 'unknown_artifact');
    expect({ ...foreign, request_id: '' }).toEqual({ ...unknown, request_id: '' });
    expect(paths(expectProblem(await api('GET', '/artifacts/x'), 422, 'request_invalid'))).toEqual([
      '/path/artifact_id',
    ]);
    expectProblem(await api('POST', `/artifacts/${randomUUID()}`), 405, 'method_not_allowed');
  });
});

describe('with an object store', () => {
  let storage: StorageStandIn;
  let token: string;
  let close: () => Promise<void>;
  const apps = new Map<string, LedgerApp>();
  const log: LogEntry[] = [];

  beforeAll(async () => {
    storage = await startStorageStandIn();
    token = `Bearer ${await stack.mintToken({ tenantId, role: 'orchestrator', actorId: 'os-agt-001' })}`;
    const env = {
      LEDGER_DATABASE_URL: stack.gatewayUrl,
      LEDGER_JWKS_URL: stack.jwksUrl,
      LEDGER_JWT_ISSUER: stack.issuer,
      SUPABASE_URL: storage.url,
      SUPABASE_SERVICE_ROLE_KEY: storage.key,
      LEDGER_ARTIFACT_BUCKET: storage.bucket,
    };
    const deps = createDeps(env, { log: (entry) => log.push(entry) });
    close = () => deps.close();
    for (const [name, create] of Object.entries(FUNCTIONS)) apps.set(name, create(deps));
  });
  afterAll(async () => {
    await close?.();
    await storage?.stop();
  });
  beforeEach(() => {
    storage.fault = null;
    storage.asked.length = 0;
    log.length = 0;
  });

  const ask = async (method: string, path: string, body?: unknown, authorization = token) => {
    const app = apps.get(path.split('/')[1] ?? '') as LedgerApp;
    const headers = { authorization, 'content-type': 'application/json' };
    return answered(await app.request(path, { method, headers, ...(body ? { body: JSON.stringify(body) } : {}) }));
  };
  const conclude = (start: Document, body: unknown, authorization?: string) =>
    ask('POST', `/invocations/${start['invocation_id']}/conclude`, body, authorization);
  const BIG = { path: out('big.txt'), content: 'é'.repeat(MIB) };

  test('a large one goes there, and comes back through a URL that needs no token', async () => {
    const start = await started();
    const body = conclusion({ files: [PLAN, BIG] });
    const first = await conclude(start, body);
    expect([first.status, first.body.code]).toEqual([201, undefined]);
    const [plan, big] = first.body.artifacts;
    expect([plan.stored, big.stored, big.size_bytes]).toEqual(['table', 'object', 2 * MIB]);
    expect(storage.objects.get(`artifacts/${tenantId}/${big.sha256}`)?.toString()).toBe(BIG.content);
    expect(first.body.outcome.result.artifacts[1]).toEqual({ path: BIG.path, sha256: big.sha256 });

    const read = await ask('GET', `/artifacts/${big.artifact_id}`);
    expect(read.body).toMatchObject({ content: null, stored: 'object', sha256: big.sha256 });
    expect(read.body).not.toHaveProperty('object_key');
    expect(await (await fetch(read.body.url)).text()).toBe(BIG.content);
    expect(JSON.stringify([first.body, read.body])).not.toContain(storage.key);

    // A reply lost on the way: the same object, and a replay.
    const again = await conclude(start, body);
    expect([again.status, again.body]).toEqual([200, first.body]);
    expect(storage.objects.size).toBe(1);
  });

  test('a long last message is recovered whole', async () => {
    const long = `I compared all of the carriers of the second week in turn. ${'é'.repeat(MIB)}\n${report(true)}`;
    const { body } = await conclude(await started(), conclusion({ messages: [long], files: [] }));
    expect(body.artifacts).toMatchObject([{ stored: 'object', recovered: true }]);
    expect(storage.objects.get(`artifacts/${tenantId}/${body.artifacts[0].sha256}`)?.toString()).toContain(long);
    expect(body.warnings).toEqual([]);
  });

  test('whoever may not conclude, or sends what is refused, stores nothing', async () => {
    const files = [{ path: out('other.txt'), content: 'x'.repeat(2 * MIB) }];
    const start = await started();
    for (const [role, actorId] of [
      ['agent', start['source'].id],
      ['auditor', 'eve'],
      ['orchestrator', start['source'].id],
    ] as const) {
      const authorization = `Bearer ${await stack.mintToken({ tenantId, role, actorId })}`;
      expectProblem(await conclude(start, conclusion({ files }), authorization), 403, 'not_permitted');
    }
    expectProblem(await conclude(start, conclusion({ files, quality: { mood: 1 } })), 422, 'request_invalid');
    expectProblem(await conclude({ invocation_id: randomUUID() }, conclusion({ files })), 404, 'unknown_invocation');
    expect(storage.asked).toEqual([]);
  });

  test.each(['away', 500, 401, 302] as const)('a store that is %s refuses, and nothing is recorded', async (fault) => {
    const start = await started();
    const body = conclusion({ files: [{ ...BIG, content: `${BIG.content}${fault}` }] });
    storage.fault = fault;
    const answer = await conclude(start, body);
    expectProblem(answer, 503, 'object_store_unavailable');
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(log).toMatchObject([{ level: 'warn', code: 'object_store_unavailable' }]);
    expect(JSON.stringify([answer.body, log])).not.toContain(storage.key);
    expect((await api('GET', `/invocations/${start['invocation_id']}`)).body.state).toBe('running');
    storage.fault = null;
    expect((await conclude(start, body)).status).toBe(201);
  });

  test('a run that will not complete is concluded without the large files that a store does not take', async () => {
    const start = await started();
    const over = { observation: { ...CLEAN, exit_code: 1 }, files: [{ ...BIG, content: `${BIG.content}!` }, PLAN] };
    storage.fault = 'away';
    const first = await conclude(start, conclusion(over));
    expect([first.status, first.body.phase_status]).toEqual([201, 'failed']);
    expect(first.body.artifacts).toMatchObject([{ path: PLAN.path, primary: true }]);
    expect(first.body.warnings).toEqual([
      `${BIG.path} is not kept: it has ${2 * MIB + 1} bytes, and while the object store is away at most ${MIB} are kept`,
    ]);
    storage.fault = null;
    storage.asked.length = 0;
    const again = await conclude(start, conclusion(over));
    expect([again.status, again.body, storage.asked]).toEqual([200, first.body, []]);
  });

  test('a replay needs no store, no room and no schema', async () => {
    const start = await started();
    const body = conclusion({ files: [{ ...BIG, content: `${BIG.content}?` }] });
    const first = await conclude(start, body);
    expect(first.status).toBe(201);
    storage.fault = 'away';
    storage.asked.length = 0;
    const again = await conclude(start, body);
    expect([again.status, again.body, storage.asked]).toEqual([200, first.body, []]);
    // By functions that have no store at all.
    const elsewhere = await api('POST', `/invocations/${start['invocation_id']}/conclude`, body);
    expect([elsewhere.status, elsewhere.body]).toEqual([200, first.body]);
  });

  test('whoever may not conclude this one stores nothing', async () => {
    const start = await started();
    const worker = `Bearer ${await stack.mintToken({ tenantId, role: 'worker', actorId: 'not-its-own' })}`;
    const files = [{ ...BIG, content: `${BIG.content}#` }];
    expectProblem(await conclude(start, conclusion({ files }), worker), 403, 'not_permitted');
    expect(storage.asked).toEqual([]);
  });

  test('an object that is gone, or a function without the store, says so', async () => {
    const files = [{ path: out('gone.txt'), content: 'g'.repeat(MIB + 1) }];
    const { body } = await conclude(await started(), conclusion({ files }));
    const [gone] = body.artifacts;
    const without = expectProblem(await api('GET', `/artifacts/${gone.artifact_id}`), 503, 'object_store_unavailable');
    expect(without['remedy']).toContain('LEDGER_ARTIFACT_BUCKET');
    storage.objects.delete(`artifacts/${tenantId}/${gone.sha256}`);
    expectProblem(await ask('GET', `/artifacts/${gone.artifact_id}`), 503, 'object_store_unavailable');
  });
});

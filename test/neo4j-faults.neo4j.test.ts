// A Neo4j that refuses, is read-only, dies, stalls, or is full: what kind of fault each is, and that work goes on after it.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { GraphFault, PositionMoved } from '../lineage/graph/fault.ts';
import type { Graph } from '../lineage/graph/graph.ts';
import { openNeo4j } from '../lineage/graph/neo4j/index.ts';
import { freePort } from '../src/stack/postgres/port.ts';
import { startBoltProxy } from './support/bolt-proxy.ts';
import { contentOf } from './support/graph-model.ts';
import { batchAt, outcomeFrom, positionAt } from './support/graph-rows.ts';
import { type Neo4jServer, startNeo4j, useNeo4j } from './support/neo4j.ts';
import { randomFrom } from './support/random.ts';

const LIMITS = { timeoutMs: 5_000, maxRows: 10 };
/** What a server may take to start, twice, on a busy machine. */
const STARTS_MS = 240_000;
const opened: Graph[] = [];
const open = async (options: Parameters<typeof openNeo4j>[0]): Promise<Graph> => {
  const graph = await openNeo4j(options);
  opened.push(graph);
  return graph;
};
afterEach(async () => void (await Promise.all(opened.splice(0).map((graph) => graph.close()))));

/** Every call of a graph, and the fault that each ends with. */
async function faultsOf(graph: Graph): Promise<GraphFault[]> {
  const row = { outcomes: [outcomeFrom(randomFrom(71))] };
  const calls = [
    graph.prepare(),
    graph.position(),
    graph.write(batchAt(0, row)),
    graph.write(batchAt(1, row)),
    graph.outcomesAfter(null, 10),
    graph.query('return 1', {}, LIMITS),
  ];
  return (await Promise.allSettled(calls)).map((result) => {
    if (result.status === 'fulfilled') throw new Error(`it was answered: ${JSON.stringify(result.value)}`);
    if (!(result.reason instanceof GraphFault)) throw result.reason;
    return result.reason;
  });
}

describe('a server that refuses', () => {
  const server = useNeo4j();
  beforeEach(() => server.clear());

  it('by a wrong password: everything waits, and nothing about a row', async () => {
    for (const password of ['wrong-password', undefined]) {
      for (const fault of await faultsOf(await open({ ...server.options(), password }))) {
        expect(fault).toMatchObject({ kind: 'whole', code: 'Neo.ClientError.Security.Unauthorized' });
        expect(fault.message).toContain('NEO4J_PASSWORD');
        expect(fault.message).not.toContain('wrong-password');
      }
    }
    // The right one goes through afterwards.
    await (await open(server.options())).prepare();
  });

  it('by the name of the database', async () => {
    const bolt = server.uri.replace('neo4j:', 'bolt:');
    for (const uri of [server.uri, bolt]) {
      for (const fault of await faultsOf(await open({ ...server.options(), uri, database: 'nowhere' }))) {
        expect(fault).toMatchObject({ kind: 'whole', code: 'Neo.ClientError.Database.DatabaseNotFound' });
        expect(fault.message).toContain('NEO4J_DATABASE');
      }
    }
  });

  it('because it is no Bolt server, or none at all', async () => {
    const http = createServer((_request, response) => void response.end('hello'));
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const at = async (scheme: string, port: number) => faultsOf(await open({ uri: `${scheme}://127.0.0.1:${port}` }));
    // Each is tried again for seconds.
    const [web, ...none] = await Promise.all([
      at('bolt', (http.address() as AddressInfo).port),
      at('bolt', await freePort()),
      at('neo4j', await freePort()),
    ]);
    for (const fault of web) expect(fault).toMatchObject({ kind: 'whole' });
    for (const fault of none.flat()) {
      expect(fault).toMatchObject({ kind: 'passing', code: 'ServiceUnavailable' });
      expect(fault.message).toContain('ECONNREFUSED');
    }
    http.closeAllConnections();
    http.close();
  });

  it('after the handle was closed', async () => {
    const graph = await open(server.options());
    await graph.prepare();
    await graph.close();
    for (const fault of await faultsOf(graph)) expect(fault).toMatchObject({ kind: 'passing', code: 'closed' });
  });

  it('by stalling five seconds: the write is done once, late', async () => {
    const random = randomFrom(74);
    const proxy = await startBoltProxy(server.uri);
    const graph = await open({ ...server.options(), uri: proxy.uri });
    await graph.write(batchAt(0, { outcomes: [outcomeFrom(random)] }));
    proxy.stall();
    const started = Date.now();
    setTimeout(() => proxy.resume(), 5_000);
    await graph.write(batchAt(1, { outcomes: [outcomeFrom(random)] }));
    expect(Date.now() - started).toBeGreaterThanOrEqual(4_900);
    expect(await graph.position()).toEqual(positionAt(2));
    await graph.close();
    await proxy.stop();
  });

  it('by falling silent: a call ends after its patience, and the next one finds another connection', async () => {
    const random = randomFrom(75);
    const proxy = await startBoltProxy(server.uri);
    const graph = await open({ ...server.options(), uri: proxy.uri, patienceMs: 1_000 });
    await graph.write(batchAt(0, { outcomes: [outcomeFrom(random)] }));
    proxy.stall();
    const late = { outcomes: [outcomeFrom(random)] };
    await expect(graph.write(batchAt(1, late))).rejects.toMatchObject({ kind: 'passing', code: 'no_answer' });
    await expect(graph.query('return 1', {}, { timeoutMs: 500, maxRows: 1 })).rejects.toMatchObject({
      code: 'query_timeout',
    });
    proxy.resume();
    // The write that nobody waited for may have come through in the meantime.
    await graph.write(batchAt(1, late)).catch((error) => {
      if (!(error instanceof PositionMoved)) throw error;
    });
    expect(await graph.position()).toEqual(positionAt(2));
    expect(Object.keys((await contentOf(graph)).outcomes)).toHaveLength(2);
    // And closing waits for nobody.
    proxy.stall();
    const closing = Date.now();
    await graph.close();
    expect(Date.now() - closing).toBeLessThan(8_000);
    await proxy.stop();
  });
});

describe('a server on a small disk', () => {
  const disk = mkdtempSync(join(tmpdir(), 'outcome-ledger-small-disk-'));
  const settings = { 'db.tx_log.rotation.size': '1m', 'db.tx_log.preallocate': 'false' };
  let server: Neo4jServer;
  beforeAll(async () => {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', disk]);
    server = await startNeo4j({ home: disk, settings });
  }, STARTS_MS);
  afterAll(async () => {
    await server?.kill();
    await server?.stop();
    execFileSync('umount', [disk]);
    rmSync(disk, { recursive: true, force: true });
  });

  it('read-only: reads go on, writes wait, and they go through once it is not', {
    timeout: STARTS_MS,
  }, async () => {
    await server.clear();
    const random = randomFrom(72);
    const graph = await open(server.options());
    await graph.write(batchAt(0, { outcomes: [outcomeFrom(random)] }));
    await server.restart({ ...settings, 'server.databases.default_to_read_only': 'true' });
    const refused = { kind: 'whole', message: expect.stringContaining('takes no writes') };
    await expect(graph.write(batchAt(1, { outcomes: [outcomeFrom(random)] }))).rejects.toMatchObject(refused);
    expect((await graph.query('match (o:Outcome) return count(o) as n', {}, LIMITS)).rows).toEqual([{ n: 1 }]);
    // Prepared before: nothing is to be made, and only the mark cannot be renewed.
    await expect(graph.prepare()).rejects.toMatchObject(refused);

    await server.restart(settings);
    await graph.write(batchAt(1, { outcomes: [outcomeFrom(random)] }));
    expect(await graph.position()).toEqual(positionAt(2));
  });

  it('killed in the middle of writes: what was answered stands, the rest is whole or not at all', {
    timeout: STARTS_MS,
  }, async () => {
    await server.clear();
    const random = randomFrom(73);
    const graph = await open(server.options());
    await graph.prepare();
    let answered = 0;
    const batch = (step: number) => batchAt(step, { outcomes: Array.from({ length: 50 }, () => outcomeFrom(random)) });
    const writing = (async () => {
      for (;;) {
        await graph.write(batch(answered));
        answered += 1;
        if (answered === 5) void server.kill();
      }
    })();
    const fault = await writing.catch((error: unknown) => error);
    expect(fault).toMatchObject({ name: 'GraphFault', kind: 'passing' });

    await server.restart();
    const position = await graph.position();
    const stands = [positionAt(answered), positionAt(answered + 1)];
    expect(stands).toContainEqual(position);
    const steps = stands.findIndex((one) => one.xid === position?.xid) + answered;
    expect(Object.keys((await contentOf(graph)).outcomes)).toHaveLength(steps * 50);
    await graph.write(batch(steps));
    expect(Object.keys((await contentOf(graph)).outcomes)).toHaveLength(steps * 50 + 50);
  });

  it('that is full: a fault of the whole batch, never of a row', { timeout: STARTS_MS }, async () => {
    await server.clear();
    const graph = await open(server.options());
    const random = randomFrom(76);
    let step = 0;
    const fill = async (): Promise<never> => {
      for (;;) {
        await graph.write(batchAt(step, { outcomes: Array.from({ length: 500 }, () => outcomeFrom(random)) }));
        step += 1;
      }
    };
    const full = (await fill().catch((error: unknown) => error)) as GraphFault;
    expect(full).toMatchObject({ name: 'GraphFault', kind: 'whole' });
    expect(full.message).toContain('disk');
    expect(step).toBeGreaterThan(1);
    // Asked again, it is still no row's fault.
    await expect(graph.write(batchAt(step, {}))).rejects.toMatchObject({ kind: 'whole' });
  });
});

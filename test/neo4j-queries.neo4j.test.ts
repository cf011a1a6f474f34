// What an auditor's query may do in Neo4j beyond what every graph promises.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Graph } from '../lineage/graph/graph.ts';
import { openNeo4j } from '../lineage/graph/neo4j/index.ts';
import { MAY_BE_CALLED } from '../lineage/queries/guard-procedures.ts';
import { guardQuery } from '../lineage/queries/index.ts';
import { batchAt, linkBetween, outcomeFrom } from './support/graph-rows.ts';
import { useNeo4j } from './support/neo4j.ts';
import { randomFrom } from './support/random.ts';

const LIMITS = { timeoutMs: 10_000, maxRows: 100 };
const HOME_ZONE = process.env['TZ'];
const server = useNeo4j();
let graph: Graph;

beforeAll(async () => {
  graph = await openNeo4j(server.options());
  const random = randomFrom(81);
  const outcomes = [outcomeFrom(random), outcomeFrom(random), outcomeFrom(random)] as const;
  const links = [0, 1].map((n) =>
    linkBetween(random, outcomes[n]?.outcome_id as string, outcomes[n + 1]?.outcome_id as string),
  );
  await graph.write(batchAt(0, { outcomes: [...outcomes], links }));
});
afterEach(() => {
  if (HOME_ZONE === undefined) delete process.env['TZ'];
  else process.env['TZ'] = HOME_ZONE;
});
afterAll(() => graph?.close());

const ask = async (text: string, parameters = {}, limits = LIMITS) =>
  (await graph.query(text, parameters, limits)).rows;

describe('what reaches beyond the graph', () => {
  it.each([
    'create user eve set password "12345678"',
    'show users',
    'alter current user set password from "a" to "12345678"',
    'create index for (n:X) on (n.y)',
    'drop constraint outcome_ledger_outcome',
    'call db.createLabel("X")',
    'call db.clearQueryCaches()',
    'call dbms.killConnections(["bolt-1"])',
    'call { call db.clearQueryCaches() yield value return value } return value',
    'terminate transactions "neo4j-transaction-1"',
    'match (n) call (n) { detach delete n } in transactions',
    'load csv from "file:///etc/passwd" as line return line',
  ])('`%s` is refused', async (text) => {
    await expect(graph.query(text, {}, LIMITS)).rejects.toMatchObject({ name: 'QueryRefused', code: 'query_writes' });
  });

  it('is refused before the server asks an address', async () => {
    let asked = 0;
    const http = createServer((_request, response) => {
      asked += 1;
      response.end('a,b\n');
    });
    await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
    const text = `load csv from "http://127.0.0.1:${(http.address() as AddressInfo).port}/" as line return line`;
    // The hole: in a transaction that reads, the server itself asks.
    await server.run(text);
    expect(asked).toBe(1);
    await expect(graph.query(text, {}, LIMITS)).rejects.toMatchObject({ code: 'query_writes' });
    expect(asked).toBe(1);
    http.closeAllConnections();
    http.close();
  });

  it('so is every procedure but a few, which the server would run', async () => {
    for (const name of ['db.info', '`db`.`info`', 'db . info']) {
      const call = `call ${name}() yield name return name`;
      expect(await ask(call)).toEqual([{ name: 'neo4j' }]);
      expect(() => guardQuery(call)).toThrow(expect.objectContaining({ code: 'query_writes' }));
    }
    await expect(ask('call `db.info`()')).rejects.toMatchObject({ code: 'query_invalid' });
    for (const name of MAY_BE_CALLED) {
      guardQuery(`call ${name}()`);
      await ask(`call ${name}()`);
    }
  });

  it('what tells about the graph may be asked', async () => {
    expect((await ask('call db.labels() yield label return label order by label')).map(({ label }) => label)).toEqual([
      'LedgerPosition',
      'Outcome',
    ]);
    expect(await ask('show constraints yield name return name order by name')).toHaveLength(2);
  });
});

describe('limits', () => {
  it('stop at the rows asked for, of a thousand million', async () => {
    const started = Date.now();
    const answer = await graph.query('unwind range(1, 1000000000) as x return x', {}, { ...LIMITS, maxRows: 3 });
    expect(answer).toEqual({ columns: ['x'], rows: [{ x: 1 }, { x: 2 }, { x: 3 }], truncated: true });
    expect(Date.now() - started).toBeLessThan(10_000);
  });

  it('call a query unbounded that needs more memory than the server gives', async () => {
    const hungry = graph.query(
      'unwind range(1, 100000000) as x with collect(x) as every return size(every)',
      {},
      { ...LIMITS, timeoutMs: 50_000 },
    );
    await expect(hungry).rejects.toMatchObject({ name: 'QueryRefused', code: 'query_unbounded' });
  });

  it('take whole numbers where Cypher wants integers', async () => {
    expect(await ask('match (o:Outcome) return o.outcome_id as id order by id limit $n', { n: 2 })).toHaveLength(2);
    expect(
      await ask('return valueType($n) as n, valueType($x) as x, valueType($deep.a[0]) as a', {
        n: 2,
        x: 2.5,
        deep: { a: [1] },
      }),
    ).toEqual([{ n: 'INTEGER NOT NULL', x: 'FLOAT NOT NULL', a: 'INTEGER NOT NULL' }]);
  });
});

describe('connections', () => {
  const ours = async () => {
    const [found] = await server.run(
      'call dbms.listConnections() yield userAgent where userAgent = "outcome-ledger" return count(*) as n',
    );
    return Number(found?.['n']);
  };

  it('are as many as queries at once, over a thousand, the refused and the cut off among them', async () => {
    const before = await ours();
    const another = await openNeo4j(server.options());
    const tenth = async (n: number) => {
      if (n === 3) return another.query('match (o:Outcome return o', {}, LIMITS).catch((error: Error) => error.name);
      if (n === 7) return another.query('unwind range(1, 100000) as x return x', {}, { ...LIMITS, maxRows: 1 });
      return another.query('match (o:Outcome) return count(o) as n', {}, LIMITS);
    };
    const seen: number[] = [];
    for (let round = 0; round < 100; round += 1) {
      const answers = await Promise.all(Array.from({ length: 10 }, (_, n) => tenth(n)));
      expect(answers).toMatchObject(
        Array.from({ length: 10 }, (_, n) => (n === 3 ? 'QueryRefused' : { truncated: n === 7 })),
      );
      if (round % 10 === 9) seen.push((await ours()) - before);
    }
    // One of the round before may still be on its way home.
    expect(Math.max(...seen), String(seen)).toBeLessThanOrEqual(20);
    await another.close();
    await expect.poll(ours).toBe(before);
  });
});

describe('words', () => {
  it('name the place of a mistake in the query as it was given', async () => {
    const refusal = (text: string) => graph.query(text, {}, LIMITS).catch((error: Error) => error.message);
    expect(await refusal('match (o:Outcome return o')).toMatch(/^the query is not valid: .* \(line 1, column 18\)$/);
    expect(await refusal('match (o:Outcome)\nreturn missing')).toMatch(/`missing` not defined \(line 2, column 8\)$/);
    expect(await refusal('return $wanted')).toBe('the query is not valid: Expected parameter(s): wanted');
    expect(await refusal('return 1 / 0')).toBe('the query is not valid: / by zero');
    expect(await refusal('call no.such.thing()')).toMatch(/There is no procedure with the name `no\.such\.thing`/);
  });
});

describe('values', () => {
  it.each(['America/New_York', 'Asia/Kolkata', 'UTC'])(
    'write every kind of time, whatever the zone, in %s',
    async (zone) => {
      process.env['TZ'] = zone;
      const [row] = await ask(
        `return datetime('2026-05-20T00:30:00.123456-04:00') as offset,
         datetime('2026-05-20T00:30:00.123456[America/New_York]') as zone,
         datetime('2026-11-01T01:30:00-05:00[America/New_York]') as doubled,
         datetime('2026-01-15T00:10:00.5[Asia/Kolkata]') as midnight,
         datetime('2026-05-20T00:30:00.123456789Z') as nanos,
         localdatetime('2026-05-20T00:30:00') as local, date('2026-05-20') as day,
         time('00:30:00-03:30') as time, localtime('00:30:00.5') as clock, duration('P1Y2M3DT4H5M6.5S') as duration`,
      );
      expect(row).toEqual({
        offset: '2026-05-20T04:30:00.123456Z',
        zone: '2026-05-20T04:30:00.123456Z',
        doubled: '2026-11-01T06:30:00.000000Z',
        midnight: '2026-01-14T18:40:00.500000Z',
        nanos: '2026-05-20T00:30:00.123456789Z',
        local: '2026-05-20T00:30:00.000000',
        day: '2026-05-20',
        time: '00:30:00.000000-03:30',
        clock: '00:30:00.500000',
        duration: 'P1Y2M3DT4H5M6.500000000S',
      });
    },
  );

  it('write paths, points, maps and numbers of any size as plain JSON', async () => {
    const text = `match path = (:Outcome)-[:INVOKED*2]->(:Outcome)
       return path, point({x: 1, y: 2}) as point, {a: [1, null], n: {b: 9223372036854775807}} as map,
         -9223372036854775808 as least, 0.0 / 0.0 as nan, 1e300 as large`;
    const [row] = await ask(text);
    expect(JSON.parse(JSON.stringify(row))).toEqual(row);
    const path = row?.['path'] as { nodes: { labels: string[] }[]; relationships: { type: string }[] };
    expect(path.nodes.map(({ labels }) => labels)).toEqual([['Outcome'], ['Outcome'], ['Outcome']]);
    expect(path.relationships.map(({ type }) => type)).toEqual(['INVOKED', 'INVOKED']);
    expect(row).toMatchObject({
      point: { srid: 7203, x: 1, y: 2 },
      map: { a: [1, null], n: { b: '9223372036854775807' } },
      least: '-9223372036854775808',
      nan: 'NaN',
      large: 1e300,
    });
  });
});

// What the mirror rests on in Neo4j itself: constraints before the first write, types, one commit whatever its answer.
import neo4j from 'neo4j-driver';
import { beforeEach, describe, expect, it } from 'vitest';
import { GraphRefused, PositionMoved } from '../lineage/graph/fault.ts';
import type { Graph } from '../lineage/graph/graph.ts';
import { openNeo4j } from '../lineage/graph/neo4j/index.ts';
import { SCHEMA_VERSION } from '../lineage/graph/neo4j/position.ts';
import { startBoltProxy } from './support/bolt-proxy.ts';
import { contentOf } from './support/graph-model.ts';
import { batchAt, changes, linkBetween, outcomeFrom, positionAt, uuidFrom } from './support/graph-rows.ts';
import { useNeo4j } from './support/neo4j.ts';
import { randomFrom } from './support/random.ts';

const server = useNeo4j();
const open: Graph[] = [];
const graphAt = async (over: Partial<Parameters<typeof openNeo4j>[0]> = {}): Promise<Graph> => {
  const graph = await openNeo4j({ ...server.options(), ...over });
  open.push(graph);
  return graph;
};

beforeEach(async () => {
  await server.clear();
  return async () => void (await Promise.all(open.splice(0).map((graph) => graph.close())));
});

const schema = async () => ({
  constraints: (await server.run('show constraints yield name return name order by name')).map(({ name }) => name),
  indexes: await server.run(
    'show indexes yield name, state, owningConstraint where name starts with "outcome_ledger" return name, state order by name',
  ),
});

describe('constraints', () => {
  it('are what keeps two writers from making twins', async () => {
    const id = uuidFrom(randomFrom(61));
    await server.empty();
    expect(await mergedAtOnce(id, { waits: false })).toBe(2);

    await server.empty();
    await (await graphAt()).prepare();
    expect(await mergedAtOnce(id, { waits: true })).toBe(1);
  });

  it('are made, and online, before the first row, also when nobody prepared', async () => {
    await server.empty();
    const graph = await graphAt();
    await graph.write(batchAt(0, { outcomes: [outcomeFrom(randomFrom(62))] }));
    expect(await schema()).toEqual({
      constraints: ['outcome_ledger_outcome', 'outcome_ledger_position'],
      indexes: [
        { name: 'outcome_ledger_completed', state: 'ONLINE' },
        { name: 'outcome_ledger_correlation', state: 'ONLINE' },
        { name: 'outcome_ledger_outcome', state: 'ONLINE' },
        { name: 'outcome_ledger_position', state: 'ONLINE' },
      ],
    });
    // The row came after them: a database that was replaced under a running worker is prepared like a new one.
    await graph.forgetPosition();
    await server.empty();
    await graph.write(batchAt(0, { outcomes: [outcomeFrom(randomFrom(62))] }));
    expect((await schema()).constraints).toHaveLength(2);
  });

  it('that somebody else made are taken as they are', async () => {
    await server.empty();
    await server.run('create constraint mine for (o:Outcome) require o.outcome_id is unique');
    await server.run('create index theirs for (o:Outcome) on (o.correlation_id)');
    await (await graphAt()).prepare();
    expect((await schema()).constraints).toEqual(['mine', 'outcome_ledger_position']);
    const names = (await schema()).indexes.map(({ name }) => name);
    expect(names).not.toContain('outcome_ledger_correlation');
  });

  it('are what auditors’ queries use', async () => {
    await (await graphAt()).prepare();
    const plans = {
      correlation: 'explain match (o:Outcome {correlation_id: "x"}) return o',
      window: `explain match (o:Outcome {tenant_id: "x"}) where o.completed_at >= datetime("2026-01-01T00:00:00Z") return o`,
      outcome: 'explain match (o:Outcome {outcome_id: "x"}) return o',
    };
    for (const [what, text] of Object.entries(plans)) expect(await operators(text), what).toContain('IndexSeek');
  });
});

describe('what stands in the graph', () => {
  it('has the types that Cypher computes with, and a stub its ids alone', async () => {
    const random = randomFrom(63);
    const graph = await graphAt();
    const outcome = outcomeFrom(random, { duration_ms: 42 });
    const link = linkBetween(random, outcome.outcome_id, uuidFrom(random));
    await graph.write(batchAt(0, { outcomes: [outcome], links: [link] }));
    const [types] = await server.run(
      `match (o:Outcome)-[l:INVOKED]->(stub:Outcome)
       return valueType(o.duration_ms) as duration, valueType(o.completed_at) as completed, valueType(l.recorded_at) as recorded,
         keys(stub) as stub, toString(o.completed_at) as text`,
    );
    expect(types).toEqual({
      duration: 'INTEGER NOT NULL',
      completed: 'ZONED DATETIME NOT NULL',
      recorded: 'ZONED DATETIME NOT NULL',
      stub: expect.arrayContaining(['outcome_id', 'tenant_id']),
      text: expect.stringMatching(/Z$/),
    });
    expect(types?.['stub']).toHaveLength(2);
  });

  it('leaves other nodes of the database alone', async () => {
    await server.run('create (:Patient {id: 1})-[:TOOK]->(:Drug)');
    const random = randomFrom(64);
    const graph = await graphAt();
    const outcome = outcomeFrom(random);
    await graph.write(batchAt(0, { outcomes: [outcome] }));
    await graph.write(batchAt(1, { deletedOutcomes: [outcome] }));
    expect(await server.run('match (n)-[t:TOOK]->(m) return labels(n) as l, labels(m) as m')).toEqual([
      { l: ['Patient'], m: ['Drug'] },
    ]);
  });

  it('keeps a stub that somebody has tied something to', async () => {
    const random = randomFrom(65);
    const graph = await graphAt();
    const outcome = outcomeFrom(random);
    await graph.write(batchAt(0, { outcomes: [outcome] }));
    await server.run('match (o:Outcome) create (o)<-[:ABOUT]-(:Note)');
    await graph.write(batchAt(1, { deletedOutcomes: [outcome] }));
    expect((await contentOf(graph)).outcomes[outcome.outcome_id]?.facts).toBeNull();
  });
});

describe('a row that the graph cannot take', () => {
  it('is a fault of that row, with all of its batch undone, and the others go through without it', async () => {
    const random = randomFrom(66);
    const graph = await graphAt();
    await graph.prepare();
    await server.run('create constraint one_per_cause for (o:Outcome) require o.causation_id is unique');
    const first = outcomeFrom(random);
    const bad = outcomeFrom(random, { causation_id: first.causation_id });
    const others = Array.from({ length: 8 }, () => outcomeFrom(random));
    await expect(graph.write(batchAt(0, { outcomes: [first, bad, ...others] }))).rejects.toMatchObject({
      name: 'GraphFault',
      kind: 'row',
      code: 'Neo.ClientError.Schema.ConstraintValidationFailed',
      message: expect.stringContaining('a constraint refuses it'),
    });
    expect(await contentOf(graph)).toEqual({ outcomes: {}, links: {} });
    expect(await graph.position()).toBeNull();
    await graph.write(batchAt(0, { outcomes: [first, ...others] }));
    expect(Object.keys((await contentOf(graph)).outcomes)).toHaveLength(9);
  });

  it('may be one whose value no index takes', async () => {
    const graph = await graphAt();
    const bad = outcomeFrom(randomFrom(67), { correlation_id: 'x'.repeat(9_000) });
    await expect(graph.write(batchAt(0, { outcomes: [bad] }))).rejects.toMatchObject({
      kind: 'row',
      message: expect.stringContaining('too long for an index'),
    });
  });
});

describe('a graph of another form', () => {
  it('tells no position, and takes no rows, whoever asks first', async () => {
    const graph = await graphAt();
    await server.run(
      'create (:LedgerPosition {key: "position", schema_version: 0, ledger_id: "x", epoch: "one", at: [1, 2]})',
    );
    const untouched = await server.run('match (n) return properties(n) as p');
    const refused = { code: 'graph_outdated', remedy: expect.stringContaining('Empty this database') };
    const row = { outcomes: [outcomeFrom(randomFrom(70))] };
    for (const call of [
      () => graph.position(),
      () => graph.write(batchAt(1, row)),
      () => graph.repair(changes(row)),
      () => graph.prepare(),
    ]) {
      const error = await call().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(GraphRefused);
      expect(error).toMatchObject(refused);
      expect((error as Error).message).toContain(`the form of its nodes is 0, expected ${SCHEMA_VERSION}`);
    }
    expect(await server.run('match (n) return properties(n) as p')).toEqual(untouched);
  });
});

describe('one commit', () => {
  it('counts when its answer is lost: the batch is not refused as another worker’s', async () => {
    const random = randomFrom(68);
    const proxy = await startBoltProxy(server.uri);
    const graph = await graphAt({ uri: proxy.uri });
    await graph.write(batchAt(0, { outcomes: [outcomeFrom(random)] }));
    proxy.loseNextCommit();
    await graph.write(batchAt(1, { outcomes: [outcomeFrom(random)] }));
    expect(proxy.lost).toBe(1);
    expect(await graph.position()).toEqual(positionAt(2));
    expect(Object.keys((await contentOf(graph)).outcomes)).toHaveLength(2);
    await expect(graph.write(batchAt(1, {}))).rejects.toBeInstanceOf(PositionMoved);
    await graph.close();
    await proxy.stop();
  });

  it('holds off a repair while a batch is written, so that neither deadlocks', async () => {
    const random = randomFrom(69);
    const [worker, repairer] = [await graphAt(), await graphAt()];
    const ids = Array.from({ length: 30 }, () => uuidFrom(random));
    const links = ids.map((id, n) => linkBetween(random, id, ids[(n * 7 + 1) % 30] as string));
    await worker.write(batchAt(0, { links }));
    await Promise.all([
      (async () => {
        for (let step = 1; step < 20; step += 1) await worker.write(batchAt(step, { links }));
      })(),
      (async () => {
        for (let round = 0; round < 20; round += 1) await repairer.repair(changes({ links: links.toReversed() }));
      })(),
    ]);
    expect(await worker.position()).toEqual(positionAt(20));
    expect(Object.keys((await contentOf(worker)).links)).toHaveLength(30);
  });
});

/** Two transactions that merge the same outcome before either commits (the second may have to wait); how many nodes there are then. */
async function mergedAtOnce(id: string, { waits }: { waits: boolean }): Promise<number> {
  const driver = neo4j.driver(server.uri, neo4j.auth.basic(server.user, server.password));
  const sessions = [driver.session({ database: 'neo4j' }), driver.session({ database: 'neo4j' })];
  const merge = 'merge (o:Outcome {outcome_id: $id}) set o.tenant_id = "t"';
  try {
    const [first, second] = await Promise.all(sessions.map((session) => session.beginTransaction()));
    await first?.run(merge, { id });
    const merged = second?.run(merge, { id });
    if (!waits) await merged;
    await first?.commit();
    await merged;
    await second?.commit();
  } finally {
    for (const session of sessions) await session.close();
    await driver.close();
  }
  const [found] = await server.run('match (o:Outcome {outcome_id: $id}) return count(o) as n', { id });
  return Number(found?.['n']);
}

async function operators(text: string): Promise<string> {
  const driver = neo4j.driver(server.uri, neo4j.auth.basic(server.user, server.password));
  const session = driver.session({ database: 'neo4j' });
  try {
    const { summary } = await session.run(text);
    return JSON.stringify(summary.plan, (_, value) => (typeof value === 'bigint' ? Number(value) : value));
  } finally {
    await session.close();
    await driver.close();
  }
}

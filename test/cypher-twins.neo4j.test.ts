import neo4j, { type Driver } from 'neo4j-driver';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bindQuery, neo4jSource } from '../lineage/index.ts';
import { cypherUnder } from './support/cypher-pages.ts';
import { describeTwins } from './support/cypher-twins-suite.ts';
import { useNeo4j } from './support/neo4j.ts';

const server = useNeo4j();

describeTwins('Neo4j', { seeds: [41, 42], headings: ['Ready queries', 'Judgments', 'In Neo4j alone'] }, async () => {
  return { source: neo4jSource(server.options()), stop: () => server.empty() };
});

describe('in a Neo4j that holds what no ledger would write', () => {
  let driver: Driver;
  const [mine, other] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];
  const idOf = (layer: number, place: number) =>
    `0000000${layer % 10}-0000-4000-8000-${String(layer * 100 + place).padStart(12, '0')}`;
  const LAYERS = 20;
  const WIDTH = 8;

  async function run(text: string, parameters: object = {}) {
    const session = driver.session({ database: 'neo4j' });
    try {
      return await session.run(text, parameters as Record<string, unknown>);
    } finally {
      await session.close();
    }
  }

  beforeAll(async () => {
    driver = neo4j.driver(server.uri, neo4j.auth.basic(server.user, server.password), {
      disableLosslessIntegers: true,
    });
    await run('create constraint for (n:Outcome) require n.outcome_id is unique');
    // Each outcome of a layer caused by all of the layer before; layers 5 and 6 are another tenant's.
    const nodes = Array.from({ length: LAYERS * WIDTH }, (_, n) => {
      const layer = Math.floor(n / WIDTH);
      return { outcome_id: idOf(layer, n % WIDTH), layer, tenant_id: layer === 5 || layer === 6 ? other : mine };
    });
    await run(
      `unwind $nodes as node create (n:Outcome) set n = node, n.status = 'failure', n.completed_at = datetime('2026-05-20T10:00:00Z') + duration({seconds: toInteger(node.layer)}),
         n.recorded_at = n.completed_at, n.correlation_id = 'corr'`,
      { nodes },
    );
    await run(`match (n:Outcome {outcome_id: $id}) set n.status = 'success', n.verification = 'failed'`, {
      id: idOf(3, 7),
    });
    await run(
      'match (a:Outcome), (b:Outcome) where b.layer = a.layer + 1 create (a)-[:INVOKED {tenant_id: $mine}]->(b)',
      { mine },
    );
    await run(
      'match (a:Outcome), (b:Outcome) where (b.layer = a.layer + 10 and a.layer < 3) or ( b.layer = 5 and a.layer = 1) create (b)-[:GOVERNED_BY {tenant_id: $mine}]->(a)',
      { mine },
    );
  }, 120_000);
  afterAll(() => driver?.close());

  const ask = async (name: string, raw: object, change: (text: string) => string = (text) => text) => {
    const { text, parameters } = bindQuery(name, raw as Record<string, unknown>, mine);
    const given = Object.fromEntries(
      Object.entries(parameters).map(([key, value]) => [key, typeof value === 'number' ? neo4j.int(value) : value]),
    );
    return run(change(text), given);
  };

  it.each([
    ['why', { outcome_id: idOf(8, 0) }, 9],
    ['impact', { outcome_id: idOf(3, 0) }, 9],
    ['path', { from_outcome: idOf(3, 0), to_outcome: idOf(8, 0) }, 0],
    ['governed', { guard_outcome: idOf(1, 0) }, 8],
    ['root-causes', { from_time: '2026-05-20T10:00:08Z', to_time: '2026-05-20T10:00:09Z' }, 8],
    ['broken-impact', {}, 9],
  ])('%s stops at the other tenant at every hop; without the condition it would not', async (name, raw, rows) => {
    const answered = async (change?: (text: string) => string) =>
      (await ask(name, raw, change)).records.map((record) => record.get('outcome_id') as string);
    const answer = await answered();
    expect(answer).toHaveLength(rows);
    const everywhere = (text: string) =>
      text.replace(/\((cause|effect|outcome):Outcome \{tenant_id: \$tenant_id\}\)/g, '($1:Outcome)');
    expect(await answered(everywhere)).not.toEqual(answer);
  });

  it.each([
    ['why', (links: number) => ({ outcome_id: idOf(19, 0), max_depth: links })],
    ['impact', (links: number) => ({ outcome_id: idOf(7, 0), max_depth: links })],
    ['path', (links: number) => ({ from_outcome: idOf(19 - links, 0), to_outcome: idOf(19, 0), max_depth: links })],
  ])('%s costs what is reached, not the 8^n ways to it', async (name, raw) => {
    const hits = async (links: number) => {
      const { summary } = await ask(name, raw(links), (text) => `PROFILE ${text}`);
      return hitsOf(summary.profile);
    };
    const [few, many] = [await hits(3), await hits(12)];
    expect(few).toBeGreaterThan(100);
    // Four times the layers, and the ways 8^9 = 134,217,728 times.
    expect(many / few).toBeLessThan(8);
    expect(many).toBeLessThan(60_000);
  });

  it('root-causes looks its window up in the index of the mirror', async () => {
    await run('create index if not exists for (n:Outcome) on (n.tenant_id, n.completed_at)');
    await run('call db.awaitIndexes(60)');
    const { summary } = await ask('root-causes', { from_time: '2026-05-20' }, (text) => `EXPLAIN ${text}`);
    expect(JSON.stringify(summary.plan)).toContain('NodeIndexSeek');
  });

  it('the grammar of the roles’ statements is Neo4j’s', async () => {
    const statements = cypherUnder('A read-only role').flatMap(({ text }) => text.split(';'));
    expect(statements.length).toBeGreaterThan(10);
    for (const statement of statements) {
      const session = driver.session({ database: 'system' });
      try {
        const said = await session.run(statement).then(
          () => 'accepted',
          (error: { message: string }) => error.message,
        );
        expect(said, statement).toMatch(
          /^(Unsupported administration command|.*not available in community edition|accepted)/,
        );
      } finally {
        await session.close();
      }
    }
    await expect(run('GRANT MATCH {*} ON GRAPH lineage TO')).rejects.toMatchObject({
      code: expect.stringContaining('SyntaxError'),
    });
  });
});

interface Profile {
  dbHits?: number;
  children?: Profile[];
}

function hitsOf(profile: Profile | false | null): number {
  if (!profile) throw new Error('there is no profile');
  return (profile.dbHits ?? 0) + (profile.children ?? []).reduce((sum, child) => sum + hitsOf(child), 0);
}

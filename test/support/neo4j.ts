import neo4j from 'neo4j-driver';
import { openNeo4j } from '../../lineage/graph/neo4j/index.ts';
import { type Neo4jLocal, type Neo4jLocalOptions, startNeo4jLocal } from '../../lineage/neo4j-local/start.ts';
import { OTHER_TENANT, TENANT } from './graph-rows.ts';
import type { GraphStore } from './graph-suite.ts';

/** A real Neo4j of a test file's own, and a plain driver past the code under test. */
export interface Neo4jServer extends Neo4jLocal {
  /** Runs one statement as it is; integers as bigint. */
  run(text: string, parameters?: Record<string, unknown>): Promise<Record<string, unknown>[]>;
  /** No node, no constraint, no index. */
  empty(): Promise<void>;
  options(): { uri: string; user: string; password: string };
}

export async function startNeo4j(options: Neo4jLocalOptions = {}): Promise<Neo4jServer> {
  const server = await startNeo4jLocal({ quick: true, say: console.error, ...options });
  const driver = neo4j.driver(server.uri, neo4j.auth.basic(server.user, server.password), {
    useBigInt: true,
    notificationFilter: { minimumSeverityLevel: 'OFF' },
  });
  const run = async (text: string, parameters: Record<string, unknown> = {}) => {
    const session = driver.session({ database: 'neo4j' });
    try {
      return (await session.run(text, parameters)).records.map((record) => record.toObject());
    } finally {
      await session.close();
    }
  };
  const stop = server.stop.bind(server);
  // In place: `pid` and `ended` are getters of the server that runs now.
  return Object.assign(server, {
    run,
    async empty() {
      await run('match (n) call (n) { detach delete n } in transactions of 5000 rows');
      for (const { name } of await run('show constraints yield name')) await run(`drop constraint ${name}`);
      for (const { name } of await run('show indexes yield name, type where type <> "LOOKUP"')) {
        await run(`drop index ${name}`);
      }
    },
    options: () => ({ uri: server.uri, user: server.user, password: server.password }),
    async stop() {
      await driver.close();
      await stop();
    },
  });
}

/** The server as the conformance suite wants it. */
export async function startNeo4jStore(): Promise<GraphStore> {
  const server = await startNeo4j();
  const [id, another] = ['2f1d7c7e-0000-4000-8000-000000000001', '2f1d7c7e-0000-4000-8000-000000000002'];
  const ours = 'create (:LedgerPosition {key: "position", schema_version: 1})';
  return {
    open: ({ tenantId } = {}) => openNeo4j({ ...server.options(), tenantId }),
    // Constraints stay, as they do in a graph that somebody empties; making them anew costs seconds.
    reset: async () => void (await server.run('match (n) detach delete n')),
    stop: () => server.stop(),
    refused: [
      {
        what: 'outcomes of somebody else, and no position',
        code: 'graph_foreign',
        names: ['trial-7'],
        async plant() {
          await server.empty();
          await server.run('create (:Outcome {outcome_id: "trial-7", result: "cured"}), (:Patient)');
        },
      },
      {
        what: 'outcomes in our form, and no position',
        code: 'graph_foreign',
        names: [id],
        async plant() {
          await server.empty();
          await server.run('create (:Outcome {outcome_id: $id, tenant_id: $tenant})', { id, tenant: TENANT });
        },
      },
      {
        what: 'an outcome without a tenant among ours',
        code: 'graph_foreign',
        names: [another],
        async plant() {
          await server.empty();
          await server.run(ours);
          await server.run(
            'create (:Outcome {outcome_id: $id, tenant_id: $tenant}), (:Outcome {outcome_id: $another})',
            {
              id,
              another,
              tenant: TENANT,
            },
          );
        },
      },
      {
        what: 'an outcome among ours whose id is a number',
        code: 'graph_foreign',
        names: ['17'],
        async plant() {
          await server.empty();
          await server.run(ours);
          await server.run('create (:Outcome {outcome_id: 17, tenant_id: $tenant})', { tenant: TENANT });
        },
      },
      {
        what: 'the same outcome twice',
        code: 'graph_twins',
        names: [id],
        async plant() {
          await server.empty();
          await server.run(ours);
          await server.run('unwind [1, 2] as n create (:Outcome {outcome_id: $id, tenant_id: $tenant})', {
            id,
            tenant: TENANT,
          });
        },
      },
      {
        what: 'the same link twice',
        code: 'graph_twins',
        names: [id, another, 'INVOKED'],
        async plant() {
          await server.empty();
          await server.run(ours);
          await server.run(
            `create (a:Outcome {outcome_id: $id, tenant_id: $tenant}), (b:Outcome {outcome_id: $another, tenant_id: $tenant}),
             (a)-[:INVOKED {link_id: '1'}]->(b), (a)-[:INVOKED {link_id: '2'}]->(b)`,
            { id, another, tenant: TENANT },
          );
        },
      },
      {
        what: 'a graph of another form',
        code: 'graph_outdated',
        async plant() {
          await server.empty();
          await server.run('create (:LedgerPosition {key: "position", schema_version: 0, ledger_id: "x", epoch: 1})');
        },
      },
      {
        what: 'a graph of another tenant',
        code: 'graph_other_tenant',
        names: [OTHER_TENANT],
        async plant() {
          await server.empty();
          await server.run(
            `create (:LedgerPosition {key: "position", schema_version: 1, tenant_id: $tenant, ledger_id: "x", epoch: 1})`,
            { tenant: OTHER_TENANT },
          );
        },
      },
    ],
  };
}

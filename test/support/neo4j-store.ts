import { openNeo4j } from '../../lineage/graph/neo4j/index.ts';
import { SCHEMA_VERSION } from '../../lineage/graph/neo4j/position.ts';
import { OTHER_TENANT, TENANT } from './graph-rows.ts';
import type { GraphStore } from './graph-suite.ts';
import type { Neo4jBench } from './neo4j.ts';

/** A Neo4j as the conformance suite wants it. */
export function neo4jStore(server: Neo4jBench): GraphStore {
  const [id, another] = ['2f1d7c7e-0000-4000-8000-000000000001', '2f1d7c7e-0000-4000-8000-000000000002'];
  const ours = `create (:LedgerPosition {key: "position", schema_version: ${SCHEMA_VERSION}})`;
  return {
    open: ({ tenantId } = {}) => openNeo4j({ ...server.options(), tenantId }),
    // Constraints stay, as they do in a graph that somebody empties.
    reset: () => server.clear(),
    // Its owner's to end.
    stop: async () => {},
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
        what: 'an outcome among ours whose id is no UUID, though as long',
        code: 'graph_foreign',
        names: ['patient-7-of-the-trial-on-ward-three'],
        async plant() {
          await server.empty();
          await server.run(ours);
          await server.run(
            'create (:Outcome {outcome_id: "patient-7-of-the-trial-on-ward-three", tenant_id: $tenant})',
            { tenant: TENANT },
          );
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
            `create (:LedgerPosition {key: "position", schema_version: ${SCHEMA_VERSION}, tenant_id: $tenant, ledger_id: "x", epoch: 1})`,
            { tenant: OTHER_TENANT },
          );
        },
      },
    ],
  };
}

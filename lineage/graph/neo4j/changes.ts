import { GraphFault } from '../fault.ts';
import type { GraphChanges, LinkFacts, LinkKey } from '../graph.ts';
import type { ManagedTransaction } from './driver.ts';
import {
  EVIDENCE_ASSIGNMENTS,
  evidenceValues,
  LINK_ASSIGNMENTS,
  linkValues,
  OUTCOME_ASSIGNMENTS,
  outcomeValues,
} from './facts.ts';
import { TYPE_OF } from './relationship-types.ts';

interface Statement {
  text: string;
  parameters: Record<string, unknown>;
}

// An id that stands there for another tenant is not found under both properties; making it anew then breaks its constraint.
const OUTCOMES = `unwind $rows as row
merge (outcome:Outcome {outcome_id: row[0], tenant_id: row[1]})
set ${OUTCOME_ASSIGNMENTS}`;

const links = (type: string) => `unwind $rows as row
merge (source:Outcome {outcome_id: row[0], tenant_id: row[2]})
merge (target:Outcome {outcome_id: row[1], tenant_id: row[2]})
merge (source)-[link:${type}]->(target)
set ${LINK_ASSIGNMENTS}`;

// A stub has no facts of its own, and an outcome that comes later brings its evidence.
const EVIDENCE = `unwind $rows as row
match (outcome:Outcome {outcome_id: row[0], tenant_id: row[1]})
where outcome.recorded_at is not null
set ${EVIDENCE_ASSIGNMENTS}`;

const deletedLinks = (type: string) => `unwind $rows as row
match (:Outcome {outcome_id: row[0], tenant_id: row[2]})-[link:${type}]->(:Outcome {outcome_id: row[1]})
delete link`;

const DELETED_OUTCOMES = `unwind $rows as row
match (outcome:Outcome {outcome_id: row[0], tenant_id: row[1]})
set outcome = {outcome_id: row[0], tenant_id: row[1]}`;

const STUBS_WITHOUT_LINKS = `unwind $ids as id
match (stub:Outcome {outcome_id: id})
where stub.recorded_at is null and not (stub)--()
delete stub`;

/** Runs all that `changes` asks for. The statements go out at once; the server takes them one after the other. */
export async function applyChanges(tx: ManagedTransaction, changes: GraphChanges): Promise<void> {
  await Promise.all(statementsOf(changes).map(({ text, parameters }) => tx.run(text, parameters)));
}

/**
 * The rows of a graph of one tenant are that tenant's.
 *
 * @throws GraphFault `row` for the first that is not
 */
export function mustBeOf(tenantId: string | null, changes: GraphChanges): void {
  if (tenantId === null) return;
  const foreign = Object.values(changes)
    .flat()
    .find((row) => row.tenant_id !== tenantId);
  if (!foreign) return;
  throw new GraphFault(
    'row',
    'other_tenant',
    `this graph mirrors tenant ${tenantId} alone, and a row is of tenant ${foreign.tenant_id}`,
  );
}

function statementsOf(changes: GraphChanges): Statement[] {
  const outcomes = changes.outcomes.toSorted((a, b) => order(a.outcome_id, b.outcome_id));
  const deleted = changes.deletedOutcomes.map(({ outcome_id, tenant_id }) => [outcome_id, tenant_id]).sort(byKey);
  const touched = [...changes.deletedLinks.flatMap(endsOf), ...changes.deletedOutcomes.map((key) => key.outcome_id)];
  return [
    { text: OUTCOMES, parameters: { rows: outcomes.map(outcomeValues) } },
    ...byType(changes.links, links, linkValues),
    { text: EVIDENCE, parameters: { rows: changes.evidence.map(evidenceValues).sort(byKey) } },
    ...byType(changes.deletedLinks, deletedLinks, keyValues),
    { text: DELETED_OUTCOMES, parameters: { rows: deleted } },
    { text: STUBS_WITHOUT_LINKS, parameters: { ids: [...new Set(touched)].sort() } },
  ].filter(({ parameters }) => Object.values(parameters).some((rows) => rows.length > 0));
}

/** One statement per relationship type: a type cannot be a parameter. */
function byType<T extends LinkKey | LinkFacts>(
  rows: T[],
  text: (type: string) => string,
  values: (row: T) => unknown[],
): { text: string; parameters: Record<string, unknown[]> }[] {
  return Object.entries(TYPE_OF).map(([relation, type]) => ({
    text: text(type),
    parameters: {
      rows: rows
        .filter((row) => row.relation === relation)
        .map(values)
        .sort(byKey),
    },
  }));
}

const endsOf = ({ source_outcome_id, target_outcome_id }: LinkKey) => [source_outcome_id, target_outcome_id];
const keyValues = (key: LinkKey): unknown[] => [key.source_outcome_id, key.target_outcome_id, key.tenant_id];

const order = (a: unknown, b: unknown): number => (a === b ? 0 : (a as string) < (b as string) ? -1 : 1);
/** By the first two values of a row: ids. */
const byKey = (a: unknown[], b: unknown[]): number => order(a[0], b[0]) || order(a[1], b[1]);

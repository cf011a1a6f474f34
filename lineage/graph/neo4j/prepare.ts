import { GraphRefused } from '../fault.ts';
import type { Connection } from './connection.ts';
import type { ManagedTransaction } from './driver.ts';
import { lockPosition, readPositionNode } from './position.ts';
import { ANY_TYPE } from './relationship-types.ts';
import { ANOTHER, EMPTY_IT } from './remedies.ts';
import { isConstrained, makeSchema } from './schema.ts';

/** So many offenders are named. */
const NAMED = 5;
/** Every node is looked at: a regular expression takes three times as long. Numbers and what else is no text are never this long. */
const HAS_FORM_OF_AN_ID =
  "size(toStringOrNull(o.outcome_id)) = 36 and substring(o.outcome_id, 8, 1) = '-' and substring(o.outcome_id, 23, 1) = '-'";

/**
 * Looks at what is there, makes constraints and indexes, waits until they are online, and marks the graph as this mirror's.
 * A graph that is refused stays as it is.
 *
 * @throws GraphRefused
 */
export async function prepareGraph(connection: Connection, tenantId: string | null): Promise<void> {
  await connection.write((tx) => refuseOthers(tx, tenantId));
  await makeSchema(connection);
  await connection.write((tx) => claim(tx, tenantId));
}

/** Makes the position node; two that come at once find the same one, for the constraint stands. */
async function claim(tx: ManagedTransaction, tenantId: string | null): Promise<void> {
  const node = await lockPosition(tx, tenantId, null);
  if (node.tenant_id === tenantId) return;
  await refuseOtherTenant(tx, tenantId);
  // Nothing has been mirrored yet, or all of it was deleted: the filter may be another.
  await tx.run('match (p:LedgerPosition {key: "position"}) set p.tenant_id = $tenantId', { tenantId });
}

async function refuseOthers(tx: ManagedTransaction, tenantId: string | null): Promise<void> {
  const node = await readPositionNode(tx);
  // With the constraint there, there are none.
  if (!(await isConstrained(tx))) await refuseTwins(tx);
  await refuseForeign(tx, node !== null);
  await refuseOtherTenant(tx, tenantId);
}

async function refuseTwins(tx: ManagedTransaction): Promise<void> {
  const nodes = await texts(
    tx,
    `match (o:Outcome) where o.outcome_id is not null with o.outcome_id as id, count(*) as copies where copies > 1
     return toString(id) + ' (' + toString(copies) + ' nodes)' as text order by text limit $limit`,
  );
  const relationships = await texts(
    tx,
    `match (a:Outcome)-[l:${ANY_TYPE}]->(b:Outcome) with a, b, type(l) as type, count(*) as copies where copies > 1
     return toString(a.outcome_id) + ' ' + type + ' ' + toString(b.outcome_id) + ' (' + toString(copies) + ')' as text
     order by text limit $limit`,
  );
  if (nodes.length + relationships.length === 0) return;
  throw new GraphRefused(
    'graph_twins',
    `this graph holds outcomes or links more than once: ${[...nodes, ...relationships].join(', ')}`,
    EMPTY_IT,
  );
}

async function refuseForeign(tx: ManagedTransaction, isOurs: boolean): Promise<void> {
  const strange = isOurs ? `o.tenant_id is null or not coalesce(${HAS_FORM_OF_AN_ID}, false)` : 'true';
  const found = await texts(
    tx,
    `match (o:Outcome) where ${strange}
     return coalesce(toStringOrNull(o.outcome_id), elementId(o)) as text limit $limit`,
  );
  if (found.length === 0) return;
  throw new GraphRefused(
    'graph_foreign',
    `this database holds nodes labelled Outcome that no ledger has put there, e.g. ${found.sort().join(', ')}`,
    `${ANOTHER} Or delete those nodes, if nobody needs them.`,
  );
}

async function refuseOtherTenant(tx: ManagedTransaction, tenantId: string | null): Promise<void> {
  const node = await readPositionNode(tx);
  if (!node || node.tenant_id === tenantId) return;
  if (node.position === null && (await texts(tx, 'match (o:Outcome) return "one" as text limit 1')).length === 0)
    return;
  const said = (tenant: string | null) => (tenant === null ? 'all tenants' : `tenant ${tenant} alone`);
  throw new GraphRefused(
    'graph_other_tenant',
    `this graph mirrors ${said(node.tenant_id)}, and this worker ${said(tenantId)}`,
    `${ANOTHER} Or start the worker for ${said(node.tenant_id)}. Or: ${EMPTY_IT}`,
  );
}

async function texts(tx: ManagedTransaction, query: string): Promise<string[]> {
  const { records } = await tx.run(query, { limit: BigInt(NAMED) });
  return records.map((record) => String(record.get('text')));
}

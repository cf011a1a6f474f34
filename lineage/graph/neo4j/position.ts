import { GraphRefused, PositionMoved } from '../fault.ts';
import type { Position } from '../graph.ts';
import type { ManagedTransaction } from './driver.ts';
import { EMPTY_IT } from './remedies.ts';

/** Counts up when the mirror's nodes or relationships change their form; a graph of another number is refilled. */
export const SCHEMA_VERSION = 2;

/** What the one position node holds. */
interface PositionNode {
  tenant_id: string | null;
  position: Position | null;
}

/**
 * Reads the position node; null where there is none.
 *
 * @throws GraphRefused `graph_outdated` where the graph is of another form
 */
export async function readPositionNode(tx: ManagedTransaction): Promise<PositionNode | null> {
  const { records } = await tx.run('match (p:LedgerPosition {key: "position"}) return p');
  return records[0] ? positionNodeOf(records[0].get('p').properties) : null;
}

/**
 * Takes the position node's write lock, which the transaction keeps to its end, and reads what stands there then: setting a
 * property waits for the transaction that wrote before, and the node is returned after that. A node that somebody has deleted
 * is made again.
 *
 * @throws GraphRefused `graph_outdated` where the graph is of another form
 */
export async function lockPosition(
  tx: ManagedTransaction,
  tenantId: string | null,
  writer: string | null,
): Promise<PositionNode> {
  const { records } = await tx.run(
    `merge (p:LedgerPosition {key: "position"})
     on create set p.schema_version = $version, p.tenant_id = $tenantId
     set p.writer = $writer
     return p`,
    { version: BigInt(SCHEMA_VERSION), tenantId, writer },
  );
  return positionNodeOf(records[0]?.get('p').properties);
}

/** @throws PositionMoved when they are not the same place */
export function mustStandAt(stored: Position | null, expected: Position | null): void {
  if (!samePosition(stored, expected)) throw new PositionMoved();
}

export function samePosition(a: Position | null, b: Position | null): boolean {
  if (a === null || b === null) return a === b;
  return (['ledger_id', 'tenant_id', 'epoch', 'xid', 'seq', 'kind'] as const).every((part) => a[part] === b[part]);
}

export function setPosition(tx: ManagedTransaction, to: Position) {
  const { ledger_id, epoch, xid, seq, kind } = to;
  return tx.run('match (p:LedgerPosition {key: "position"}) set p += $to', {
    to: { ledger_id, epoch: BigInt(epoch), xid, seq: BigInt(seq), kind },
  });
}

/** Keeps the node: whose graph this is stays known. */
export function clearPosition(tx: ManagedTransaction) {
  return tx.run(
    'match (p:LedgerPosition {key: "position"}) remove p.ledger_id, p.epoch, p.xid, p.seq, p.kind set p.writer = null',
  );
}

function positionNodeOf(properties: Record<string, unknown>): PositionNode {
  const tenant_id = (properties['tenant_id'] as string | undefined) ?? null;
  const { ledger_id, epoch, xid, seq, kind, schema_version } = properties;
  // Nothing else of it may be believed: of another form, a position reads as one that no ledger has.
  if (schema_version !== BigInt(SCHEMA_VERSION)) {
    throw new GraphRefused(
      'graph_outdated',
      `this graph was filled by another version of outcome-ledger (the form of its nodes is ${schema_version ?? 'unknown'}, expected ${SCHEMA_VERSION})`,
      EMPTY_IT,
    );
  }
  const position =
    ledger_id === undefined ? null : { ledger_id, tenant_id, epoch: Number(epoch), xid, seq: Number(seq), kind };
  return { tenant_id, position: position as Position | null };
}

import { type Ledger, LedgerRefused } from '../feed/ledger.ts';
import { GraphRefused } from '../graph/fault.ts';
import type { Graph, Position } from '../graph/graph.ts';
import type { BatchSize } from './batch-size.ts';
import { SyncRefused } from './types.ts';

/** Both sides opened, checked against each other, and what is learnt while rows go from one to the other. */
export interface Session {
  readonly ledger: Ledger;
  readonly graph: Graph;
  readonly mirror: string;
  readonly tenantId: string | null;
  /** Null until the ledger has its first row. */
  ledgerId: string | null;
  readonly sizes: BatchSize;
}

/**
 * Checks the ledger, makes the graph's constraints, and sees that its position is one of this ledger, before the first write.
 *
 * @throws LedgerRefused `epoch_unsettled`, `schema_outdated`
 * @throws GraphRefused the graph is foreign, or another ledger's or tenant's
 */
export async function beginSession(sides: Omit<Session, 'ledgerId'>): Promise<Session> {
  const session: Session = { ...sides, ledgerId: await sides.ledger.identify() };
  await sides.graph.prepare();
  await positionOf(session);
  return session;
}

/** Where the graph stands: always asked of the graph, so that an emptied one begins anew. */
export async function positionOf(session: Session): Promise<Position | null> {
  const position = await session.graph.position();
  if (position === null) return null;
  if (position.ledger_id !== session.ledgerId) session.ledgerId = await session.ledger.identify();
  if (position.ledger_id !== session.ledgerId) throw otherLedger(position, session.ledgerId);
  if (position.tenant_id !== session.tenantId) throw otherTenant(position, session.tenantId);
  return position;
}

/**
 * Reads on after a position.
 *
 * @throws SyncRefused `position_gone` where the ledger is settled and the position's row is not in it
 */
export async function readAfter(session: Session, position: Position | null, limit: number) {
  try {
    return await session.ledger.read(position, limit);
  } catch (error) {
    if (!(error instanceof LedgerRefused) || error.code !== 'epoch_unsettled' || position === null) throw error;
    // An unsettled ledger refuses this too; one that answers has lost the row.
    await session.ledger.identify();
    throw new SyncRefused(
      'position_gone',
      `the row that the graph’s position rests on (${position.kind}, epoch ${position.epoch}, xid ${position.xid}, seq ${position.seq}) is not in this ledger any more: the ledger was set back to an older state, or is a copy of one`,
      '`outcome-ledger sync --reconcile` compares both sides and repairs the graph; or give this ledger an empty graph.',
    );
  }
}

function otherLedger(position: Position, ledgerId: string | null): GraphRefused {
  return new GraphRefused(
    'graph_other_ledger',
    `the graph mirrors the ledger ${position.ledger_id}; this is ${ledgerId ?? 'a ledger without a row yet'}`,
    'Name the graph of this ledger, or give this ledger an empty graph; check the connection strings of both.',
  );
}

function otherTenant(position: Position, tenantId: string | null): GraphRefused {
  const named = (id: string | null) => (id === null ? 'all tenants' : `the tenant ${id}`);
  return new GraphRefused(
    'graph_other_tenant',
    `the graph mirrors ${named(position.tenant_id)}; this worker was started for ${named(tenantId)}`,
    'A graph holds one tenant or all, never both in turn: start the worker as the graph was begun, or give it an empty graph.',
  );
}

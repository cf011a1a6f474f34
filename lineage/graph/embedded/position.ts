import { PositionMoved } from '../fault.ts';
import type { Position } from '../graph.ts';
import type { Row, Run } from './store.ts';

const FIELDS = ['ledger_id', 'tenant_id', 'epoch', 'xid', 'seq', 'kind'] as const satisfies (keyof Position)[];
const ONE = `(p:LedgerPosition {name: 'ledger'})`;

export async function readPosition(run: Run): Promise<Position | null> {
  const [row] = await run(`MATCH ${ONE} RETURN ${FIELDS.map((field) => `p.${field} AS ${field}`).join(', ')}`);
  return row ? positionOf(row) : null;
}

/** @throws PositionMoved */
export async function comparePosition(run: Run, expected: Position | null): Promise<void> {
  const stored = await readPosition(run);
  const same =
    stored === null || expected === null
      ? stored === expected
      : FIELDS.every((field) => stored[field] === expected[field]);
  if (!same) throw new PositionMoved();
}

export async function storePosition(run: Run, from: Position | null, to: Position): Promise<void> {
  const values = Object.fromEntries(FIELDS.map((field) => [field, to[field]]));
  const assigned = FIELDS.map((field) => (from ? `p.${field} = $${field}` : `${field}: $${field}`)).join(', ');
  await run(from ? `MATCH ${ONE} SET ${assigned}` : `CREATE (:LedgerPosition {name: 'ledger', ${assigned}})`, values);
}

export async function dropPosition(run: Run): Promise<void> {
  await run(`MATCH ${ONE} DELETE p`);
}

function positionOf(row: Row): Position {
  return Object.fromEntries(FIELDS.map((field) => [field, row[field]])) as unknown as Position;
}

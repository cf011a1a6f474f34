import type { Connection } from './connection.ts';
import type { ManagedTransaction } from './driver.ts';

/** Named, so that `show constraints` and `show indexes` tell whose they are. */
const CONSTRAINTS = [
  { name: 'outcome_ledger_outcome', label: 'Outcome', property: 'outcome_id' },
  { name: 'outcome_ledger_position', label: 'LedgerPosition', property: 'key' },
];
/** What auditors look for: a correlation, and a stretch of time of their tenant. */
const INDEXES = [
  { name: 'outcome_ledger_correlation', label: 'Outcome', properties: ['correlation_id'] },
  { name: 'outcome_ledger_completed', label: 'Outcome', properties: ['tenant_id', 'completed_at'] },
];

interface Found {
  type: string;
  labelsOrTypes: string[] | null;
  properties: string[] | null;
}

/** Whether the graph holds each outcome once by itself. */
export async function isConstrained(tx: ManagedTransaction): Promise<boolean> {
  const there = await found(tx, 'constraints');
  return CONSTRAINTS.every(({ label, property }) => has(there, label, [property]));
}

/**
 * Makes the constraints and indexes that are missing and waits until all are online. Where an administrator has made them,
 * the login needs no right to.
 */
export async function makeSchema(connection: Connection): Promise<void> {
  await connection.write(async (tx) => {
    const constraints = await found(tx, 'constraints');
    const indexes = await found(tx, 'indexes');
    for (const { name, label, property } of CONSTRAINTS) {
      if (has(constraints, label, [property])) continue;
      await tx.run(`create constraint ${name} if not exists for (n:${label}) require n.${property} is unique`);
    }
    for (const { name, label, properties } of INDEXES) {
      if (has(indexes, label, properties)) continue;
      const list = properties.map((property) => `n.${property}`).join(', ');
      await tx.run(`create index ${name} if not exists for (n:${label}) on (${list})`);
    }
  });
  await connection.write(async (tx) => {
    await tx.run('call db.awaitIndexes(60)');
  });
}

async function found(tx: ManagedTransaction, what: 'constraints' | 'indexes'): Promise<Found[]> {
  const { records } = await tx.run(`show ${what} yield type, labelsOrTypes, properties`);
  return records.map((record) => record.toObject() as unknown as Found);
}

/** A constraint of uniqueness, or an index by ranges, over just these properties. */
function has(there: Found[], label: string, properties: string[]): boolean {
  return there.some(
    (one) =>
      /UNIQUENESS|KEY|RANGE/.test(one.type) &&
      one.labelsOrTypes?.join() === label &&
      one.properties?.join() === properties.join(),
  );
}

import { GraphRefused } from '../fault.ts';
import { LINK_COLUMNS, OUTCOME_COLUMNS, TURNED, TYPE_OF } from './columns.ts';
import { refillOf } from './faults.ts';
import type { Row, Run, Store } from './store.ts';

/** Raised by every change of the tables below: files of another version are refused. */
const VERSION = 2;

const define = (columns: Record<string, string>) => Object.entries(columns).map(([name, type]) => `${name} ${type}`);

const TABLES: Record<string, string> = {
  Outcome: `CREATE NODE TABLE Outcome(${define(OUTCOME_COLUMNS).join(', ')}, PRIMARY KEY(outcome_id))`,
  LedgerPosition:
    'CREATE NODE TABLE LedgerPosition(name STRING, ledger_id STRING, tenant_id STRING, epoch INT64, xid STRING, seq INT64, kind STRING, PRIMARY KEY(name))',
  ...Object.fromEntries(
    [...Object.values(TYPE_OF), TURNED].map((type) => [
      type,
      `CREATE REL TABLE ${type}(FROM Outcome TO Outcome, ${define(LINK_COLUMNS).join(', ')})`,
    ]),
  ),
};

/** Neo4j's names for what the library has under others. A macro takes no query parameter as its argument. */
const MACROS = [
  'type(x) AS label(x)',
  'datetime(x) AS timestamp(x)',
  'head(x) AS list_extract(x, 1)',
  'last(x) AS list_extract(x, -1)',
];

/** What says that the tables are ours: the comment of the position's table. */
const MARK = /^outcome-ledger graph (\d+), tenant (\S+)$/;
const markOf = (tenantId: string | null) => `outcome-ledger graph ${VERSION}, tenant ${tenantId ?? 'all'}`;

/**
 * Makes the tables in an empty graph, and checks those that are there.
 *
 * @throws GraphRefused `graph_foreign`, `graph_outdated`, `graph_other_tenant`
 */
export async function prepareSchema(store: Store, tenantId: string | null): Promise<void> {
  const made = await store.transaction(async (run) => {
    const tables = await run('CALL show_tables() RETURN name, comment');
    if (tables.length === 0) await createTables(run, tenantId);
    else checkTables(tables, store.directory, tenantId);
    return tables.length === 0;
  });
  // Into the files at once: they never fall back behind their tables then.
  if (made) await store.checkpoint();
}

async function createTables(run: Run, tenantId: string | null): Promise<void> {
  for (const table of Object.values(TABLES)) await run(table);
  for (const macro of MACROS) await run(`CREATE MACRO ${macro}`);
  await run(`COMMENT ON TABLE LedgerPosition IS '${markOf(tenantId)}'`);
}

function checkTables(tables: Row[], directory: string, tenantId: string | null): void {
  const names = tables.map(({ name }) => String(name));
  const mark = MARK.exec(String(tables.find(({ name }) => name === 'LedgerPosition')?.['comment'] ?? ''));
  const foreign = names.filter((name) => !Object.hasOwn(TABLES, name));
  const refill = refillOf(directory);
  if (mark && Number(mark[1]) !== VERSION) {
    throw new GraphRefused(
      'graph_outdated',
      `the graph in ${directory} has schema ${mark[1]}, this version writes ${VERSION}`,
      Number(mark[1]) > VERSION ? `Upgrade outcome-ledger, or: ${refill}` : refill,
    );
  }
  if (!mark || foreign.length > 0) {
    throw new GraphRefused(
      'graph_foreign',
      `the graph in ${directory} has tables that are not a ledger’s mirror: ${(mark ? foreign : names).join(', ')}`,
      'Name another directory, or move away what is there.',
    );
  }
  const missing = Object.keys(TABLES).filter((name) => !names.includes(name));
  if (missing.length > 0)
    throw new GraphRefused('graph_outdated', `the graph in ${directory} lacks ${missing.join(', ')}`, refill);
  if (mark[2] !== (tenantId ?? 'all')) {
    throw new GraphRefused(
      'graph_other_tenant',
      `the graph in ${directory} mirrors ${mark[2] === 'all' ? 'all tenants' : `tenant ${mark[2]}`}, not ${tenantId ? `tenant ${tenantId}` : 'all tenants'}`,
      'Give each tenant filter a directory of its own.',
    );
  }
}

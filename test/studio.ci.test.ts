// What an auditor sees in Studio, read through the service that Studio asks (postgres-meta): every table, column and
// exposed function says what it is, every policy has a readable name, and no view looks past row-level security.
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migrate } from '../src/stack/migrations.ts';
import { as, type BareServer, startBareServer } from './support/bare-server.ts';
import { type PostgresMeta, startPostgresMeta } from './support/postgres-meta.ts';

interface Table {
  id: number;
  schema: string;
  name: string;
  comment: string | null;
  rls_enabled: boolean;
  rls_forced: boolean;
  columns?: { name: string; comment: string | null }[];
}
interface Policy {
  schema: string;
  table: string;
  name: string;
  roles: string[];
}
interface Routine {
  schema: string;
  name: string;
  comment?: string | null;
  security_definer: boolean;
  return_type: string;
}

let server: BareServer;
let meta: PostgresMeta;

const read = async <T>(path: string): Promise<T[]> => {
  const answer = await fetch(`${meta.url}${path}`);
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T[];
};

beforeAll(async () => {
  server = await startBareServer();
  await as(server.ownerUrl, (sql) => migrate(sql, { fingerprint: null }));
  meta = await startPostgresMeta(server.adminUrl);
}, 60_000);

afterAll(async () => {
  await meta?.stop();
  await server?.stop();
});

const OURS = 'included_schemas=public,ledger_internal&limit=100000';
const blank = (text: string | null | undefined) => !text || text.trim() === '';

describe('Studio reads', () => {
  test('a comment on every table', async () => {
    const tables = await read<Table>(`/tables?${OURS}`);
    expect(tables.length).toBeGreaterThan(10);
    expect(tables.filter((table) => blank(table.comment)).map((table) => `${table.schema}.${table.name}`)).toEqual([]);
  });

  test('a comment on every column', async () => {
    const tables = new Set((await read<Table>(`/tables?${OURS}`)).map((table) => `${table.schema}.${table.name}`));
    const columns = await read<{ schema: string; table: string; name: string; comment: string | null }>(
      `/columns?${OURS}`,
    );
    expect(columns.length).toBeGreaterThan(100);
    expect(
      columns
        // A view inside `ledger_internal` is not shown to anyone, and its columns are those of tables.
        .filter((column) => column.schema === 'public' || tables.has(`${column.schema}.${column.table}`))
        .filter((column) => blank(column.comment))
        .map((column) => `${column.schema}.${column.table}.${column.name}`),
    ).toEqual([]);
  });

  test('a comment on every function, and no definer among the exposed ones', async () => {
    const functions = await read<Routine>(`/functions?${OURS}`);
    const described = await as(
      server.adminUrl,
      (sql) => sql<{ name: string; comment: string | null }[]>`
      select format('%I.%I', pronamespace::regnamespace, proname) as name, obj_description(oid, 'pg_proc') as comment
        from pg_proc where pronamespace in ('public'::regnamespace, 'ledger_internal'::regnamespace)`,
    );
    expect(described.filter((one) => blank(one.comment)).map((one) => one.name)).toEqual([]);
    expect(functions.filter((one) => one.schema === 'public').length).toBeGreaterThan(20);
    expect(functions.filter((one) => one.schema === 'public' && one.security_definer).map((one) => one.name)).toEqual(
      [],
    );
  });

  test('row-level security on every exposed table, enabled and forced', async () => {
    const tables = (await read<Table>(`/tables?${OURS}`)).filter((table) => table.schema === 'public');
    expect(tables.filter((table) => !table.rls_enabled || !table.rls_forced).map((table) => table.name)).toEqual([]);
  });

  test('policies that a person can read, each for named roles', async () => {
    const policies = await read<Policy>(`/policies?${OURS}`);
    expect(policies.length).toBeGreaterThan(20);
    const unreadable = policies.filter(
      (policy) => !/^[A-Za-z][a-z']*( [a-z_']+){2,}$/.test(policy.name) || policy.name.length > 63,
    );
    expect(unreadable.map((policy) => `${policy.table}: ${policy.name}`)).toEqual([]);
    expect(policies.filter((policy) => policy.roles.includes('public')).map((policy) => policy.name)).toEqual([]);
  });

  test('no view without invoker rights', async () => {
    const views = await read<{ id: number; schema: string; name: string; comment: string | null }>(`/views?${OURS}`);
    const rights = await as(
      server.adminUrl,
      (sql) => sql<{ oid: number; options: string[] | null }[]>`
      select oid::int, reloptions as options from pg_class where relkind = 'v'`,
    );
    const looking = views.filter((view) => {
      const options = rights.find((one) => one.oid === view.id)?.options ?? [];
      return !options.some((option) => /^security_invoker=(true|on)$/.test(option));
    });
    expect(looking.map((view) => view.name)).toEqual([]);
    expect(views.filter((view) => blank(view.comment)).map((view) => view.name)).toEqual([]);
    expect(await read(`/materialized-views?${OURS}`)).toEqual([]);
  });
});

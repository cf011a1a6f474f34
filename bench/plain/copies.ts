import type { Sql } from 'postgres';

/** The tables that one recording or conclusion touches. */
const TABLES = [
  'public.workflow_executions',
  'public.agent_invocations',
  'public.outcome_ids',
  'public.phase_reports',
  'public.artifacts',
  'public.agent_invocation_outcomes',
  'public.os_events',
  'public.agent_lineage_links',
  'ledger_internal.open_work',
];

/**
 * Makes schema `plain`: copies of the ledger's tables with the same columns, defaults, indexes, keys and foreign keys, read
 * from the catalogue, and nothing else: no row-level security, trigger or check.
 */
export async function makePlainCopies(admin: Sql): Promise<void> {
  await admin.unsafe('create schema plain; create sequence plain.feed_seq');
  for (const table of TABLES) {
    const name = table.split('.')[1];
    await admin.unsafe(
      `create table plain.${name} (like ${table} including defaults including indexes including storage)`,
    );
  }
  const foreignKeys = await admin<{ statement: string }[]>`
    select format('alter table plain.%I add constraint %I %s', t.relname, c.conname,
                  regexp_replace(pg_get_constraintdef(c.oid), 'REFERENCES (\\w+\\.)?', 'REFERENCES plain.')) as statement
      from pg_constraint c join pg_class t on t.oid = c.conrelid
     where c.contype = 'f' and c.conrelid = any (${TABLES}::regclass[]) and c.confrelid = any (${TABLES}::regclass[])`;
  for (const { statement } of foreignKeys) await admin.unsafe(statement);
  await admin.unsafe(`
    grant usage on schema plain to authenticated;
    grant usage on sequence plain.feed_seq to authenticated;
    grant select, insert, delete on all tables in schema plain to authenticated`);
}

import { pipeline } from 'node:stream/promises';
import type { Sql } from 'postgres';

/** The ledger's tables, a table after those its foreign keys name: the order in which a data-only dump holds them. */
export async function tablesInOrder(sql: Sql): Promise<string[]> {
  const tables = await sql<{ name: string; needs: string[] }[]>`
    select format('%I.%I', n.nspname, c.relname) as name,
           array(select distinct format('%I.%I', tn.nspname, t.relname)
                   from pg_constraint k join pg_class t on t.oid = k.confrelid join pg_namespace tn on tn.oid = t.relnamespace
                  where k.conrelid = c.oid and k.contype = 'f' and t.oid <> c.oid) as needs
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where c.relkind = 'r' and n.nspname in ('public', 'ledger_internal') order by 1`;
  const ordered: string[] = [];
  const place = (name: string) => {
    if (ordered.includes(name)) return;
    for (const needed of tables.find((table) => table.name === name)?.needs ?? []) place(needed);
    ordered.push(name);
  };
  for (const table of tables) place(table.name);
  return ordered;
}

/**
 * Loads the data of one database into another that has the schema, the way Supabase documents it for its data-only dumps:
 * one session with `session_replication_role = replica`, COPY out and in, table by table, the sequences after them.
 *
 * @param target a pool of one connection, as superuser
 */
export async function restoreData(source: Sql, target: Sql): Promise<void> {
  await target`set session_replication_role = replica`;
  for (const table of await tablesInOrder(source)) {
    const [from, into] = await Promise.all([
      source.unsafe(`copy (select * from ${table}) to stdout`).readable(),
      target.unsafe(`copy ${table} from stdin`).writable(),
    ]);
    await pipeline(from, into);
  }
  const [sequence] = await source`select last_value::text as value, is_called from ledger_internal.feed_seq`;
  await target`select setval('ledger_internal.feed_seq', ${sequence?.['value']}::text::bigint, ${sequence?.['is_called']})`;
  await target`set session_replication_role = origin`;
}

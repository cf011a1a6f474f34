import type { Sql } from 'postgres';

const TABLES = ['outcome_ids', 'agent_invocation_outcomes', 'os_events', 'agent_lineage_links'];

/**
 * Throws unless both sides wrote as many rows, the newest with the same columns filled: a comparison with less work on one
 * side would be none.
 *
 * @param more tables beside those of a recording
 */
export async function requireSameRows(admin: Sql, more: readonly string[] = []): Promise<void> {
  for (const table of [...TABLES, ...more]) {
    const [row] = await admin.unsafe(`
      with newest (ours, theirs) as (
        select (select to_jsonb(r) from public.${table} r order by ${newest(table)} limit 1), (select to_jsonb(r) from plain.${table} r order by ${newest(table)} limit 1)
      )
      select (select count(*) from public.${table}) = (select count(*) from plain.${table}) as counted,
             array(select key from jsonb_each(ours) where value <> 'null' order by key) = array(select key from jsonb_each(theirs) where value <> 'null' order by key) as filled
        from newest`);
    if (!row?.['counted']) throw new Error(`${table}: the two sides wrote different numbers of rows`);
    if (!row['filled']) throw new Error(`${table}: the two sides filled different columns`);
  }
  const [work] = await admin`
    select (select count(*) from ledger_internal.open_work) as ours, (select count(*) from plain.open_work) as theirs`;
  if (work?.['ours'] !== work?.['theirs']) throw new Error('open_work: the two sides closed different numbers');
}

function newest(table: string): string {
  return table === 'outcome_ids' ? 'r.ctid desc' : 'r.seq desc';
}

// The same cells by bare inserts, as a token can send them through the Data API, each undone at once: what stands in the way
// of one never tells about another, and the subjects stay as they were.
import type { TransactionSql } from 'postgres';
import type { TestDatabase } from './database.ts';
import { nameOf } from './policy-product.ts';
import type { Subject } from './policy-product-subjects.ts';

/** Runs with its caller's rights, as the insert itself would; only the undoing is its own. */
export async function layTrial(database: TestDatabase): Promise<void> {
  await database.sql.unsafe(`
    create or replace function public.tried_insert(item jsonb) returns text language plpgsql as $$
    begin
      if item ? 'invocation_id' then
        insert into public.agent_invocation_outcomes (invocation_id, outcome_envelope) values ((item ->> 'invocation_id')::uuid, item -> 'outcome');
      else
        insert into public.workflow_outcomes (execution_id, outcome_envelope) values ((item ->> 'execution_id')::uuid, item -> 'outcome');
      end if;
      set constraints all immediate;
      raise exception 'recorded' using errcode = 'TR001';
    exception when others then
      -- A refusal by its code; what is none would be a fault of the database's own, and shows as one.
      return case when sqlstate = 'TR001' or sqlstate like 'PT%' then sqlerrm else sqlstate || ' ' || sqlerrm end;
    end $$;
    grant execute on function public.tried_insert(jsonb) to authenticated`);
}

/** Verdicts by the cells' names. `tx` is the caller's transaction. */
export async function triedInserts(tx: TransactionSql, subjects: readonly Subject[]): Promise<Record<string, string>> {
  const verdicts: Record<string, string> = {};
  for (let from = 0; from < subjects.length; from += 200) {
    const chunk = subjects.slice(from, from + 200);
    const rows = await tx.unsafe<{ verdict: string }[]>(
      'select public.tried_insert(i) as verdict from jsonb_array_elements($1::text::jsonb) with ordinality e (i, place) order by place',
      [JSON.stringify(chunk.map(({ item }) => item))],
    );
    for (const [n, { verdict }] of rows.entries()) verdicts[nameOf((chunk[n] as Subject).cell)] = verdict;
  }
  return verdicts;
}

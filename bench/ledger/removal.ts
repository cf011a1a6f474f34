import type { Sql } from 'postgres';

/**
 * Empties one function of a throw-away database, so that what it cost can be told from what is saved: a check says yes, a
 * trigger does nothing, a conversion answers its argument.
 */
export async function removeFunction(admin: Sql, name: string): Promise<void> {
  const [found] = await admin<{ definition: string; returns: string; argument: string | null }[]>`
    select pg_get_functiondef(p.oid) as definition, p.proargnames[1] as argument,
           case when 'o' = any (p.proargmodes) then 'void' else p.prorettype::regtype::text end as returns
      from pg_proc p where p.oid = ${`ledger_internal.${name}`}::regproc`;
  if (!found) throw new Error(`ledger_internal.${name} is not there any more`);
  const answer: Record<string, string> = {
    void: 'null;',
    boolean: 'return true;',
    trigger: 'return null;',
    jsonb: `return ${found.argument};`,
  };
  const body = answer[found.returns];
  if (body === undefined) throw new Error(`what ledger_internal.${name} returns cannot be made up`);
  const emptied = found.definition.replace(/AS (\$\w*\$)[\s\S]*\1/, () => `AS $empty$ begin ${body} end $empty$`);
  await admin.unsafe(emptied);
}

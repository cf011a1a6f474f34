// A login with raw SQL, not only the Data API: what it may name must not become code of somebody else's.
import { describe, expect, it } from 'vitest';
import { useDatabase } from './support/database.ts';
import { envelopeFor, invocationStart, toolCall } from './support/envelopes.ts';
import { codeOf } from './support/refused.ts';
import { ORCHESTRATOR, sqlLedger } from './support/sql-ledger.ts';

const database = useDatabase();

describe('a type of the session’s own that bears the name of one of Postgres’s', () => {
  const shadowed = async (call: string) => {
    const caller = { tenantId: await database.tenant(), ...ORCHESTRATOR };
    let ran: string[] = [];
    await database.as(caller, async (tx) => {
      await tx.unsafe(`
        create temporary table seen (name text) on commit drop;
        grant all on seen to public;
        create function pg_temp.spy(x pg_catalog.anyelement) returns pg_catalog.bool language plpgsql as
          $$ begin insert into pg_temp.seen values (current_user); return true; end $$;
        create domain pg_temp.jsonb as pg_catalog.jsonb check (pg_temp.spy(value));`);
      await tx.unsafe(call);
      await tx.unsafe('drop domain pg_temp.jsonb');
      ran = (await tx`select name from pg_temp.seen`).map((row) => row['name']);
      await tx.unsafe('drop function pg_temp.spy(pg_catalog.anyelement)');
    });
    return ran;
  };

  it('would run its check as the owner in a function with an empty search path', async () => {
    await database.sql.unsafe(`
      create function public.loose() returns void language plpgsql security definer set search_path = '' as
        $$ declare claims jsonb := '{}'; begin perform claims; end $$;
      grant execute on function public.loose() to authenticated;`);
    expect(await shadowed('select public.loose()')).toContain('postgres');
  });

  it('runs nothing in the ledger’s functions', async () => {
    expect(await shadowed('select ledger_internal.caller()')).toEqual([]);
    expect(await shadowed("select public.list_outcomes('{}')")).toEqual([]);
  });
});

it('what one statement writes beside an outcome does not slip in after it', async () => {
  const caller = { tenantId: await database.tenant(), ...ORCHESTRATOR };
  const start = invocationStart();
  await sqlLedger(database, caller).start(start);
  const call = toolCall(start['invocation_id']);
  const both = database.as(
    caller,
    (tx) => tx`
      with ended as (
        insert into public.agent_invocation_outcomes (invocation_id, outcome_envelope)
        values (${start['invocation_id']}, ${tx.json(envelopeFor(start))}) returning 1
      ), called as (
        insert into public.agent_tool_calls (invocation_id, tool_name, status, timing)
        select ${start['invocation_id']}, 'x', 'succeeded', ${tx.json(call['timing'])} from ended returning 1
      )
      select (select count(*) from ended), (select count(*) from called)`,
  );
  expect(await codeOf(both)).toBe('invocation_closed');
});

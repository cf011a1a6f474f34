import { createHash, randomUUID } from 'node:crypto';
import type { Sql } from 'postgres';
import { historyTables } from './history-tables.ts';

/** A ledger with a long history, written in a moment. */
export interface History {
  /** Nearly everything is this tenant's. */
  tenantId: string;
  /** Another tenant, with 1,000 outcomes in the middle of the million. */
  smallTenantId: string;
  /** How many executions there are; each has nine invocations, and one correlation id. */
  executions: number;
  /** Ids around the n-th execution (from 1). */
  ids(n: number): HistoryIds;
}

export interface HistoryIds {
  correlation: string;
  execution: string;
  workflowOutcome: string;
  /** Of its fifth agent. */
  invocation: string;
  agentOutcome: string;
}

/**
 * Writes a million outcomes: executions of nine agents each, each execution caused by the outcome of the one before; and
 * 2,000 open invocations, of which some are stalled or overdue, two hundred a gap. In replica mode, as a restore does.
 *
 * @param admin a superuser with at least two connections
 */
export async function writeHistory(admin: Sql, outcomes = 1_000_000): Promise<History> {
  const executions = outcomes / 10;
  const [tenantId, smallTenantId] = [randomUUID(), randomUUID()];
  await admin`
    insert into public.tenants (tenant_id, name, open)
    values (${tenantId}, 'large', true), (${smallTenantId}, 'small', true)`;
  await admin`select ledger_internal.current_epoch()`;
  await admin.unsafe(`
    create schema history;
    create function history.id(kind text, n bigint) returns uuid language sql immutable strict as
      $$ select overlay(overlay(md5(kind || n) placing '4' from 13) placing '8' from 17)::uuid $$;
    create function history.tenant(n bigint) returns uuid language sql immutable strict as
      $$ select case when n between ${executions / 2} and ${executions / 2 + 99} then '${smallTenantId}'::uuid else '${tenantId}'::uuid end $$;
    create function history.at(n bigint) returns timestamptz language sql immutable strict as
      $$ select timestamptz '2026-01-01 00:00Z' + n * interval '1 minute' $$`);
  const rebuild = await dropIndexes(admin);
  for (const group of historyTables(executions)) {
    await inPairs(group, (statement) => load(admin, statement));
  }
  await inPairs(rebuild, (statement) => admin.unsafe(statement));
  await admin.unsafe('alter table public.agent_invocation_outcomes enable replica trigger refuse_unclaimed');
  await admin.unsafe('alter table public.workflow_outcomes enable replica trigger refuse_unclaimed');
  await admin.unsafe(`select setval('ledger_internal.feed_seq', ${(executions + 1) * 100})`);
  await admin.unsafe('analyze');
  return { tenantId, smallTenantId, executions, ids };
}

// Two at a time, as CI has two processors.
async function inPairs(statements: string[], run: (statement: string) => Promise<unknown>): Promise<void> {
  const left = [...statements];
  const worker = async () => {
    for (let next = left.shift(); next; next = left.shift()) await run(next);
  };
  await Promise.all([worker(), worker()]);
}

// Built at the end an index costs a third; the ids' claims are written with the outcomes and need no check.
async function dropIndexes(admin: Sql): Promise<string[]> {
  const indexes = await admin<{ name: string; definition: string }[]>`
    select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
      from pg_index i join pg_class t on t.oid = i.indrelid
     where t.relnamespace = 'public'::regnamespace and t.relkind = 'r'
       and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`;
  for (const { name } of indexes) await admin.unsafe(`drop index ${name.includes('.') ? name : `public.${name}`}`);
  await admin.unsafe('alter table public.agent_invocation_outcomes disable trigger refuse_unclaimed');
  await admin.unsafe('alter table public.workflow_outcomes disable trigger refuse_unclaimed');
  return indexes.map((index) => index.definition);
}

async function load(admin: Sql, statement: string): Promise<void> {
  await admin.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    await tx.unsafe(statement);
  });
}

function ids(n: number): HistoryIds {
  return {
    correlation: `corr-${n}`,
    execution: id('execution', n),
    workflowOutcome: id('workflow-outcome', n),
    invocation: id('invocation', n * 10 + 5),
    agentOutcome: id('agent-outcome', n * 10 + 5),
  };
}

/** As `history.id` in the database. */
function id(kind: string, n: number): string {
  const hex = [...createHash('md5').update(`${kind}${n}`).digest('hex')];
  hex[12] = '4';
  hex[16] = '8';
  return hex.join('').replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
}

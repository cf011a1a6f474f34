/**
 * The chapter of row-level security, grants and ownership, generated from `src/contract/roles.ts`.
 */
import { PURGEABLE_TABLES } from '../src/contract/ledger-tables.ts';
import {
  type LedgerRole,
  ROLE_MATRIX,
  ROLES,
  type Scope,
  WRITABLE_COLUMNS,
  WRITE_TABLES,
  type WriteTable,
} from '../src/contract/roles.ts';

/** Tables every reader of a tenant sees, beside those it may write. */
const READ_ONLY_TABLES = ['outcome_ids', 'tombstones'] as const;
const WORKERS = 'ledger_sync, ledger_sweep, ledger_relay, ledger_seal';

const HEADER = `-- Chapter: who may read and write which rows. GENERATED from src/contract/roles.ts by \`npm run generate\`; do not edit.
--
-- Claims are read once a statement and not once a row: inside (select …), or, of an insert, as the one row of a function
-- scan that the statement keeps.
`;

/** The actor owns the row's subject when it wrote the subject's start row. */
function ownSubject(table: WriteTable): string {
  const startedBy = (start: string, id: string, column: string) =>
    `exists (select from public.${start} s where s.tenant_id = ${table}.tenant_id and s.${id} = ${table}.${column} and s.recorded_by = c.actor_id)`;
  if (table === 'agent_invocations' || table === 'workflow_outcomes') {
    return startedBy('workflow_executions', 'execution_id', 'execution_id');
  }
  if (table === 'late_outcomes' || table === 'lifecycle_events') {
    return `(${startedBy('agent_invocations', 'invocation_id', 'invocation_id')} or ${startedBy('workflow_executions', 'execution_id', 'execution_id')})`;
  }
  if (table === 'os_events') {
    return `(${table}.invocation_id is null or ${startedBy('agent_invocations', 'invocation_id', 'invocation_id')})`;
  }
  return startedBy('agent_invocations', 'invocation_id', 'invocation_id');
}

/** Where the row does not say whose work its subject is, the accept trigger alone does. */
function othersSource(table: WriteTable): string {
  return table === 'policy_decisions' || table === 'hitl_resolutions' ? 'true' : `${table}.source_id <> c.actor_id`;
}

function scopeCondition(table: WriteTable, scope: Scope): string {
  switch (scope) {
    case 'any':
      return 'true';
    case 'own_source':
      return table === 'os_events'
        ? `(${table}.invocation_id is null or ${table}.source = c.actor_id)`
        : `${table}.source_id = c.actor_id`;
    case 'own_subject':
      return ownSubject(table);
    case 'own_subject_of_others':
      return `${ownSubject(table)} and ${othersSource(table)}`;
    case 'others_source':
      return othersSource(table);
    case 'none':
      return 'false';
  }
}

function writersOf(table: WriteTable): LedgerRole[] {
  return ROLES.filter((role) => ROLE_MATRIX[role][table] !== 'none');
}

function insertPolicy(table: WriteTable): string {
  const cases = writersOf(table)
    .map((role) => `      when '${role}' then ${scopeCondition(table, ROLE_MATRIX[role][table])}`)
    .join('\n');
  return `create policy "tokens write ${table} by the role matrix" on public.${table} for insert to authenticated
  with check (exists (
    select from ledger_internal.caller() c
     where c.tenant_id = ${table}.tenant_id
       and case c.ledger_role
${cases}
      else false
    end));
grant insert (${WRITABLE_COLUMNS[table].join(', ')}) on public.${table} to authenticated;
`;
}

function readPolicies(table: string): string {
  return `create policy "tokens read ${table} of their tenant" on public.${table} for select to authenticated
  using (tenant_id = (select c.tenant_id from ledger_internal.caller() c));
create policy "auditors read ${table} of the tenants they audit" on public.${table} for select to ledger_auditor
  using (tenant_id = any ((select ledger_internal.audited_tenants())::uuid[]));
create policy "the ledger's workers read ${table}" on public.${table} for select to ${WORKERS}
  using (true);
grant select on public.${table} to authenticated, service_role, ledger_auditor, ${WORKERS};
`;
}

function ownerPolicies(table: string): string {
  return `create policy "the ledger's own triggers read ${table}" on public.${table} for select to current_user
  using (true);
create policy "the ledger's own triggers write ${table}" on public.${table} for insert to current_user
  with check (true);
`;
}

function retentionPolicies(table: string): string {
  return `create policy "retention reads ${table}" on public.${table} for select to ledger_retention
  using (true);
create policy "retention deletes from ${table}" on public.${table} for delete to ledger_retention
  using (true);
grant select, delete on public.${table} to ledger_retention;
`;
}

/**
 * The same matrix for the accept triggers, which know the subject's start row and can refuse in words. It is one constant:
 * a comparison for every table and role would be set up anew in every transaction that asks.
 */
function mayWrite(): string {
  const conditions: Record<Exclude<Scope, 'none'>, string> = {
    any: 'true',
    own_source: 'source_id = actor',
    own_subject: 'started_by = actor',
    others_source: 'source_id <> actor',
    own_subject_of_others: 'started_by = actor and source_id <> actor',
  };
  const matrix = WRITE_TABLES.map((table) => {
    const scopes = Object.fromEntries(writersOf(table).map((role) => [role, ROLE_MATRIX[role][table]]));
    return `    "${table}": ${JSON.stringify(scopes)}`;
  });
  const cases = Object.entries(conditions).map(([scope, condition]) => `    when '${scope}' then ${condition}`);
  return `create or replace function ledger_internal.may_write(ledger_table text, ledger_role text, actor text, source_id text, started_by text) returns boolean
language plpgsql immutable parallel safe set search_path = pg_catalog, pg_temp as $$
begin
  return coalesce(case jsonb '{
${matrix.join(',\n')}
  }' -> ledger_table ->> ledger_role
${cases.join('\n')}
  end, false);
end
$$;
comment on function ledger_internal.may_write(text, text, text, text, text) is 'The role matrix: may this role and actor write to this table about a subject of this source, started by this actor.';
revoke all on function ledger_internal.may_write(text, text, text, text, text) from public;
`;
}

/** `supabase/migrations/20261130001600_row_policies.sql`. */
export function rowPoliciesSql(): { path: string; text: string } {
  const tables = [...WRITE_TABLES, ...READ_ONLY_TABLES];
  const text = [
    HEADER,
    mayWrite(),
    ...tables.flatMap((table) => [
      `-- ${table}`,
      readPolicies(table),
      ownerPolicies(table),
      ...(table in WRITABLE_COLUMNS ? [insertPolicy(table as WriteTable)] : []),
      ...((PURGEABLE_TABLES as readonly string[]).includes(table) ? [retentionPolicies(table)] : []),
    ]),
    `-- tenants: a token reads its own row
create policy "tokens read their own tenant" on public.tenants for select to authenticated
  using (tenant_id = (select c.tenant_id from ledger_internal.caller() c));
create policy "auditors read the tenants they audit" on public.tenants for select to ledger_auditor
  using (tenant_id = any ((select ledger_internal.audited_tenants())::uuid[]));
create policy "the ledger's workers read tenants" on public.tenants for select to ${WORKERS}
  using (true);
grant select on public.tenants to authenticated, service_role, ledger_auditor, ${WORKERS};
`,
    `-- epochs and retention policies hold nothing of a tenant's
create policy "everyone who reads the feed reads epochs" on public.epochs for select to ledger_auditor, ${WORKERS}
  using (true);
create policy "tokens of a tenant read epochs" on public.epochs for select to authenticated
  using ((select c.tenant_id from ledger_internal.caller() c) is not null);
grant select on public.epochs to authenticated, service_role, ledger_auditor, ${WORKERS};
create policy "tokens read their tenant's retention policies" on public.retention_policies for select to authenticated
  using (tenant_id = (select c.tenant_id from ledger_internal.caller() c));
create policy "auditors read retention policies of the tenants they audit" on public.retention_policies for select to ledger_auditor
  using (tenant_id = any ((select ledger_internal.audited_tenants())::uuid[]));
grant select on public.retention_policies to authenticated, service_role, ledger_auditor;
`,
    `create policy "retention leaves tombstones" on public.tombstones for insert to ledger_retention
  with check (policy_id is not null);
`,
  ].join('\n');
  return { path: 'supabase/migrations/20261130001600_row_policies.sql', text };
}

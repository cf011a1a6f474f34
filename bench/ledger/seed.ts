import type { Sql, TransactionSql } from 'postgres';
import { SOURCE, type Start } from './envelope.ts';

/** Makes a tenant and opens the ledger's first epoch. */
export async function seedTenant(admin: Sql): Promise<string> {
  const [row] = await admin<{ tenant_id: string }[]>`
    insert into public.tenants (tenant_id, name, open) values (gen_random_uuid(), 'bench', true) returning tenant_id`;
  await admin`select ledger_internal.current_epoch()`;
  return row?.tenant_id ?? '';
}

// Rows made by the million have no author to check: replica mode leaves triggers and foreign keys out, as in a restore.
export async function unchecked<T>(admin: Sql, work: (tx: TransactionSql) => Promise<T>): Promise<T> {
  return (await admin.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    return work(tx);
  })) as T;
}

/**
 * Writes `count` open invocations, each caused by one of `causes` outcomes that are written with them, so that each
 * recording derives one link.
 *
 * @param twin schema with copies of the tables, which get the same rows
 */
export async function seedStarts(
  admin: Sql,
  tenantId: string,
  count: number,
  options: { causes?: number; twin?: string } = {},
): Promise<Start[]> {
  const causes = options.causes ?? 1000;
  const rows = await unchecked(admin, async (tx) => {
    await tx.unsafe(`
      create temp table cause on commit drop as
      select k, gen_random_uuid() as outcome_id, gen_random_uuid() as invocation_id from generate_series(1, ${causes}) k;
      create temp table start on commit drop as
      select gen_random_uuid() as invocation_id, 'corr-' || gen_random_uuid() as correlation_id, c.outcome_id::text as causation_id
        from generate_series(1, ${count}) n join cause c on c.k = 1 + n % ${causes};
    `);
    await insertInvocations(tx, tenantId, 'cause', `'corr-cause-' || s.k`, `'event-' || s.k`);
    await insertInvocations(tx, tenantId, 'start', 's.correlation_id', 's.causation_id');
    await insertCauses(tx, tenantId);
    await tx.unsafe(`
      insert into ledger_internal.open_work (tenant_id, subject_type, subject_id, source_id, domain, correlation_id, governance_class, opened_at, deadline_at)
      select '${tenantId}', 'invocation', s.invocation_id, '${SOURCE.id}', '${SOURCE.domain}', s.correlation_id, 'autonomous', now(), now() + interval '1 day'
        from start s`);
    if (options.twin) await copyTo(tx, options.twin);
    return tx<Start[]>`
      select invocation_id as "invocationId", correlation_id as "correlationId", causation_id as "causationId" from start`;
  });
  return [...rows];
}

function insertInvocations(tx: TransactionSql, tenantId: string, from: string, correlation: string, cause: string) {
  return tx.unsafe(`
    insert into public.agent_invocations (tenant_id, invocation_id, source_id, source_version, domain, governance_class, correlation_id, causation_id,
      deadline_at, defined, request_digest, seq, epoch, xid, recorded_at, recorded_by)
    select '${tenantId}', s.invocation_id, '${SOURCE.id}', '${SOURCE.version}', '${SOURCE.domain}', 'autonomous', ${correlation}, ${cause},
      now() + interval '1 day', true, repeat('0', 64), nextval('ledger_internal.feed_seq'), 1, pg_current_xact_id(), now(), '${SOURCE.id}'
    from ${from} s`);
}

async function insertCauses(tx: TransactionSql, tenantId: string): Promise<void> {
  await tx.unsafe(`
    insert into public.outcome_ids (outcome_id, tenant_id, source_type) select outcome_id, '${tenantId}', 'agent' from cause;
    insert into public.os_events (tenant_id, event_id, kind, type, source, outcome_id, occurred_at, seq, epoch, xid, recorded_at, recorded_by)
    select '${tenantId}', outcome_id::text, 'emitted', 'os.outcome.succeeded', '${SOURCE.id}', outcome_id, now(),
           nextval('ledger_internal.feed_seq'), 1, pg_current_xact_id(), now(), '${SOURCE.id}' from cause;
    insert into public.agent_invocation_outcomes (tenant_id, invocation_id, outcome_id, outcome_envelope, status, correlation_id, causation_id, source_id,
      source_version, domain, governance_class, started_at, completed_at, duration_ms, timing_drift_ms, seq, epoch, xid, recorded_at, recorded_by)
    select '${tenantId}', invocation_id, outcome_id, '{}', 'success', 'corr-cause-' || k, 'event-' || k, '${SOURCE.id}',
      '${SOURCE.version}', '${SOURCE.domain}', 'autonomous', now(), now(), 0, 0, nextval('ledger_internal.feed_seq'), 1, pg_current_xact_id(), now(), '${SOURCE.id}'
      from cause`);
}

async function copyTo(tx: TransactionSql, schema: string): Promise<void> {
  await tx.unsafe(`
    insert into ${schema}.agent_invocations select * from public.agent_invocations where xid = pg_current_xact_id();
    insert into ${schema}.outcome_ids select i.* from public.outcome_ids i join cause c using (outcome_id);
    insert into ${schema}.os_events select * from public.os_events where xid = pg_current_xact_id();
    insert into ${schema}.agent_invocation_outcomes select * from public.agent_invocation_outcomes where xid = pg_current_xact_id();
    insert into ${schema}.open_work select w.* from ledger_internal.open_work w join start s on s.invocation_id = w.subject_id`);
}

import { randomUUID } from 'node:crypto';
import type { Statement } from '../../src/database/statement.ts';
import { envelopeOf, SOURCE, type Start } from '../ledger/envelope.ts';

// The same five writes a governed recording makes, as one prepared statement, everything computed by the caller beforehand.
const SINGLE = `
with id as (
  insert into plain.outcome_ids (outcome_id, tenant_id, source_type) values ($1::text::uuid, $2::text::uuid, 'agent')
), outcome as (
  insert into plain.agent_invocation_outcomes (tenant_id, invocation_id, outcome_id, source_type, outcome_envelope, status, correlation_id, causation_id,
    source_id, source_version, domain, governance_class, started_at, completed_at, duration_ms, timing_drift_ms, origin, seq, epoch, xid, recorded_at, recorded_by)
  values ($2::text::uuid, $3::text::uuid, $1::text::uuid, 'agent', $4::text::jsonb, $5::text, $6::text, $7::text,
    $8::text, $9::text, $10::text, 'autonomous', $11::text::timestamptz, $12::text::timestamptz, $13::text::bigint, 0, 'recorded',
    nextval('plain.feed_seq'), 1, pg_current_xact_id(), clock_timestamp(), $8::text)
), event as (
  insert into plain.os_events (tenant_id, event_id, kind, type, source, outcome_id, correlation_id, causation_id, occurred_at, data, seq, epoch, xid, recorded_at, recorded_by)
  values ($2::text::uuid, $1::text, 'emitted', 'os.outcome.succeeded', $8::text, $1::text::uuid, $6::text, $7::text, $12::text::timestamptz, $14::text::jsonb,
    nextval('plain.feed_seq'), 1, pg_current_xact_id(), clock_timestamp(), $8::text)
), link as (
  insert into plain.agent_lineage_links (tenant_id, source_outcome_id, source_type, target_outcome_id, target_type, relation, origin, seq, epoch, xid, recorded_at, recorded_by)
  values ($2::text::uuid, $7::text::uuid, 'agent', $1::text::uuid, 'agent', 'invoked', 'derived', nextval('plain.feed_seq'), 1, pg_current_xact_id(), clock_timestamp(), $8::text)
), closed as (
  delete from plain.open_work where subject_id = $3::text::uuid and subject_type = 'invocation' and tenant_id = $2::text::uuid
)
select $1::text as answer`;

const BATCH = `
with item as materialized (
  select * from jsonb_to_recordset($2::text::jsonb) as i (outcome_id uuid, invocation_id uuid, outcome jsonb, status text, correlation_id text, causation_id text,
    source_id text, source_version text, domain text, started_at timestamptz, completed_at timestamptz, duration_ms bigint, data jsonb)
), id as (
  insert into plain.outcome_ids (outcome_id, tenant_id, source_type) select outcome_id, $1::text::uuid, 'agent' from item
), outcome as (
  insert into plain.agent_invocation_outcomes (tenant_id, invocation_id, outcome_id, source_type, outcome_envelope, status, correlation_id, causation_id,
    source_id, source_version, domain, governance_class, started_at, completed_at, duration_ms, timing_drift_ms, origin, seq, epoch, xid, recorded_at, recorded_by)
  select $1::text::uuid, invocation_id, outcome_id, 'agent', outcome, status, correlation_id, causation_id, source_id, source_version, domain, 'autonomous',
    started_at, completed_at, duration_ms, 0, 'recorded', nextval('plain.feed_seq'), 1, pg_current_xact_id(), clock_timestamp(), source_id from item
), event as (
  insert into plain.os_events (tenant_id, event_id, kind, type, source, outcome_id, correlation_id, causation_id, occurred_at, data, seq, epoch, xid, recorded_at, recorded_by)
  select $1::text::uuid, outcome_id::text, 'emitted', 'os.outcome.succeeded', source_id, outcome_id, correlation_id, causation_id, completed_at, data,
    nextval('plain.feed_seq'), 1, pg_current_xact_id(), clock_timestamp(), source_id from item
), link as (
  insert into plain.agent_lineage_links (tenant_id, source_outcome_id, source_type, target_outcome_id, target_type, relation, origin, seq, epoch, xid, recorded_at, recorded_by)
  select $1::text::uuid, causation_id::uuid, 'agent', outcome_id, 'agent', 'invoked', 'derived', nextval('plain.feed_seq'), 1, pg_current_xact_id(), clock_timestamp(), source_id from item
), closed as (
  delete from plain.open_work w using item where w.subject_id = item.invocation_id and w.subject_type = 'invocation' and w.tenant_id = $1::text::uuid
)
select count(*)::text as answer from item`;

/** One recording into the plain copies. */
export function plainRecord(tenantId: string, start: Start): Statement {
  return plainOutcome(tenantId, start, envelopeOf(start)).statement;
}

/** One recording of a given envelope, and the envelope with the id it was given. */
export function plainOutcome(tenantId: string, start: Start, envelope: Record<string, unknown>) {
  const o = outcomeOf(start, envelope);
  const statement: Statement = {
    text: SINGLE,
    values: [
      o.outcome_id,
      tenantId,
      o.invocation_id,
      JSON.stringify(o.outcome),
      o.status,
      o.correlation_id,
      o.causation_id,
      o.source_id,
      o.source_version,
      o.domain,
      o.started_at,
      o.completed_at,
      String(o.duration_ms),
      JSON.stringify(o.data),
    ],
  };
  return { statement, recorded: o.outcome };
}

/** A batch of recordings into the plain copies. */
export function plainBatch(tenantId: string, starts: readonly Start[]): Statement {
  return {
    text: BATCH,
    values: [tenantId, JSON.stringify(starts.map((start) => outcomeOf(start, envelopeOf(start))))],
  };
}

function outcomeOf(start: Start, envelope: Record<string, unknown>) {
  const outcome_id = randomUUID();
  const { correlationId: correlation_id, causationId: causation_id } = start;
  const timing = {
    started_at: '2026-05-20T10:00:00.000Z',
    completed_at: '2026-05-20T10:00:01.850Z',
    duration_ms: 1850,
  };
  return {
    outcome_id,
    invocation_id: start.invocationId,
    outcome: { ...envelope, outcome_id },
    status: 'success',
    correlation_id,
    causation_id,
    source_id: SOURCE.id,
    source_version: SOURCE.version,
    domain: SOURCE.domain,
    ...timing,
    data: { outcome_id, source: SOURCE, correlation_id, status: 'success', duration_ms: timing.duration_ms },
  };
}

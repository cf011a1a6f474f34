// What was concluded of a phase, as `conclude_invocation` takes it and as rows of the two tables.
import { randomUUID } from 'node:crypto';
import type { TransactionSql } from 'postgres';
import { claimsOf } from './claims.ts';
import type { Document } from './envelopes.ts';
import { insertRow } from './rows.ts';

const CLEAN = { exit_code: 0, stream_intact: true, cancelled: false, timed_out: false, interrupted: false };

/** A claim as the reader gives it. */
export const claim = (state: 'success' | 'failure' | 'unreadable', over: Document = {}): Document => ({
  state,
  failure_reason: null,
  side_effects: null,
  comments: 'as asked',
  by_alias: false,
  text: 'TASK_RESULT: {}',
  warnings: [],
  ...over,
});

/** A completed phase, unless said otherwise; all members of one row of `phase_reports`. */
export function phaseReport(over: Document = {}): Document {
  const claims = over['claims'] ?? [claim('success')];
  return {
    report_state: claims.at(-1)?.state ?? 'not_reported',
    claims,
    claims_total: claims.length,
    stands: claims.length > 0 ? claims.length - 1 : null,
    warnings: [],
    phase_status: 'completed',
    failure_classification: null,
    reported_failure_reason: null,
    reported_side_effects: null,
    deliverable_recovered: false,
    error: null,
    ...over,
    observation: { ...CLEAN, ...over['observation'] },
  };
}

export const artifact = (over: Document = {}): Document => ({
  path: 'artifacts/output/report.md',
  title: 'artifacts/output/report.md',
  type: 'text',
  content: 'what was found',
  recovered: false,
  primary: true,
  ...over,
});

/** What `conclude_invocation` takes; `report` is laid over a completed phase's. */
export const conclusion = ({ report, ...over }: Document = {}): Document => ({
  digest: '0'.repeat(64),
  report: phaseReport(report),
  artifacts: [artifact()],
  result: { comments: 'as asked' },
  quality: null,
  timing: null,
  checked_schemas: null,
  ...over,
});

export const reportRow = (invocationId: string, over: Document = {}): Document => ({
  invocation_id: invocationId,
  conclusion_digest: '0'.repeat(64),
  ...phaseReport(over),
});

export function artifactRow(invocationId: string, over: Document = {}): Document {
  const { primary, ...members } = artifact(over);
  return { artifact_id: randomUUID(), invocation_id: invocationId, ...members, is_primary: primary };
}

/** An artifact needs the report of its phase in the same transaction; an orchestrator of the same tenant writes it. */
export async function withReport(tx: TransactionSql, tenantId: string, invocationId: string): Promise<void> {
  const [before] = await tx`select current_setting('request.jwt.claims') as claims`;
  const concluder = claimsOf({ tenantId, role: 'orchestrator', actorId: 'who-concludes' });
  await tx`select set_config('request.jwt.claims', ${JSON.stringify(concluder)}, true)`;
  await insertRow(tx, 'phase_reports', reportRow(invocationId));
  await tx`select set_config('request.jwt.claims', ${before?.['claims']}, true)`;
}

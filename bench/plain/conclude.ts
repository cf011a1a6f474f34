import { randomUUID } from 'node:crypto';
import type { Statement } from '../../src/database/statement.ts';
import { ARTIFACTS, DIGEST, REPORT, RESULT } from '../ledger/conclusion.ts';
import { envelopeOf, SOURCE, type Start } from '../ledger/envelope.ts';
import { plainOutcome } from './record.ts';

const END = '\nselect $1::text as answer';

/** The rows of one conclusion, as one prepared statement: those of a recording, the report, twenty artifacts. */
export function plainConclusion(tenantId: string, start: Start): Statement {
  const envelope = { ...envelopeOf(start), result: RESULT, quality: null };
  const { text, values } = plainOutcome(tenantId, start, envelope).statement;
  const all = [...values];
  const param = (value: string | null) => `$${all.push(value)}::text`;
  const report = [
    param(REPORT.report_state),
    `${param(JSON.stringify(REPORT.claims))}::jsonb`,
    `${param(JSON.stringify(REPORT.warnings))}::jsonb`,
    `${param(JSON.stringify(REPORT.observation))}::jsonb`,
    param(REPORT.phase_status),
    param(REPORT.reported_side_effects),
    param(DIGEST),
  ];
  const artifacts = ARTIFACTS.map(
    ({ path, title, type, content, size_bytes, sha256, recovered, primary }) =>
      `($2::text::uuid, ${param(randomUUID())}::uuid, $3::text::uuid, $8::text, ${param(path)}, ${param(title)}, ${param(type)}, ${param(content)},` +
      ` ${param(String(size_bytes))}::bigint, ${param(sha256)}, ${recovered}, ${primary}, nextval('plain.feed_seq'), 1, pg_current_xact_id(), clock_timestamp(), $8::text)`,
  );
  const more = `, report as (
  insert into plain.phase_reports (tenant_id, invocation_id, source_id, source_version, domain, report_state, claims, claims_total, stands, warnings, observation,
    phase_status, deliverable_recovered, reported_side_effects, conclusion_digest, seq, epoch, xid, recorded_at, recorded_by)
  values ($2::text::uuid, $3::text::uuid, $8::text, $9::text, $10::text, ${report[0]}, ${report[1]}, 1, 0, ${report[2]}, ${report[3]},
    ${report[4]}, false, ${report[5]}, ${report[6]}, nextval('plain.feed_seq'), 1, pg_current_xact_id(), clock_timestamp(), $8::text)
), artifact as (
  insert into plain.artifacts (tenant_id, artifact_id, invocation_id, source_id, path, title, type, content, size_bytes, sha256, recovered, is_primary,
    seq, epoch, xid, recorded_at, recorded_by)
  values ${artifacts.join(',\n    ')}
)`;
  if (!text.endsWith(END)) throw new Error(`the plain recording of ${SOURCE.id} does not end as expected`);
  return { text: `${text.slice(0, -END.length)}${more}${END}`, values: all };
}

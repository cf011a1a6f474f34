import * as z from 'zod';
import type { Rule } from '../rules/rule.ts';
import {
  anyText,
  artifactPath,
  count,
  exitCode,
  failureClass,
  failureReason,
  flag,
  freeObject,
  name,
  phaseStatus,
  reportState,
  sha256Hex,
  sideEffects,
  uuid4,
} from '../scalars/index.ts';
import { DOCUMENT_MAX_BYTES, within } from './parts.ts';

/** What was observed of a run: `observation` of `assessPhase`, with nothing left out. */
const observation = z.strictObject({
  exit_code: exitCode.nullish(),
  stream_intact: flag,
  cancelled: flag,
  timed_out: flag,
  interrupted: flag,
});

/** A row of `phase_reports`: what an agent said of its run, what was observed, and what was concluded. */
export const phaseReportSchema = z.strictObject({
  invocation_id: uuid4,
  report_state: reportState,
  /** Every claim seen, as the reader gives it; `claims_total` counts those too many to keep. */
  claims: z.array(freeObject),
  claims_total: count,
  /** Index into `claims` of the one that stood. */
  stands: count.nullish(),
  warnings: z.array(anyText),
  observation,
  phase_status: phaseStatus,
  failure_classification: failureClass.nullish(),
  reported_failure_reason: failureReason.nullish(),
  reported_side_effects: sideEffects.nullish(),
  deliverable_recovered: flag,
  error: name.nullish(),
  conclusion_digest: sha256Hex,
});

export const phaseReportRules: readonly Rule[] = [
  {
    rule: 'completed',
    path: '/reported_side_effects',
    when: [{ isIn: ['/phase_status', ['failed', 'cancelled', 'interrupted']] }],
    need: { absent: '/reported_side_effects' },
    message: 'must be null unless phase_status is completed',
  },
  {
    rule: 'failed',
    path: '/error',
    when: [{ is: ['/phase_status', 'failed'] }],
    need: { present: '/error' },
    message: 'is required when phase_status is failed',
  },
  within('', DOCUMENT_MAX_BYTES),
];

/** What a row of `artifacts` says beside its content. */
export const artifactSchema = z.strictObject({
  invocation_id: uuid4,
  path: artifactPath,
  title: name,
  type: name,
  recovered: flag,
  primary: flag,
  sha256: sha256Hex,
  size_bytes: count,
});

export const artifactRules: readonly Rule[] = [within('', 8 * 1024)];

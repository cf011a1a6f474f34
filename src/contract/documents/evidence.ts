import * as z from 'zod';
import type { Rule } from '../rules/rule.ts';
import {
  anyText,
  count,
  deliveryAssessment,
  exitCode,
  flag,
  idText,
  lifecycleEvent,
  name,
  saying,
  sha256Hex,
  uuid4,
  verificationWord,
} from '../scalars/index.ts';
import { within } from './parts.ts';

/** A bounded excerpt of what a verification printed, its command, and little else. */
const EVIDENCE_MAX_BYTES = 64 * 1024;

/** How a verification's process ended; it alone decides the word (`verificationOf`). */
const process = z.strictObject({
  started: flag,
  timed_out: flag,
  system_fault: flag,
  signal: idText.nullish(),
  exit_code: exitCode.nullish(),
});

/** A row of `outcome_verifications`: what a verification said of an outcome. `verification_id` is its natural key. */
export const verificationSchema = z.strictObject({
  verification_id: uuid4.nullish(),
  outcome_id: uuid4,
  verification: verificationWord,
  process: process.nullish(),
  command: name.nullish(),
  duration_ms: count.nullish(),
  output_sha256: sha256Hex.nullish(),
  output_bytes: count.nullish(),
  output_excerpt: anyText.nullish(),
  /** What a `verify` such as `auto` came to; `skip` when it came to nothing. */
  resolved_verify: anyText.nullish(),
});

const ANSWERS_OF_PROCESSES = ['passed', 'failed', 'timed_out', 'infrastructure_failure'] as const;

export const verificationRules: readonly Rule[] = [
  {
    rule: 'process',
    path: '/process',
    when: [{ isIn: ['/verification', ANSWERS_OF_PROCESSES] }],
    need: { present: '/process' },
    message: 'is required: how a process ended decides what its verification says',
  },
  {
    rule: 'process',
    path: '/process',
    when: [{ is: ['/verification', 'skipped'] }],
    need: { absent: '/process' },
    message: 'must be null: what was skipped has no process',
  },
  {
    rule: 'command',
    path: '/command',
    when: [{ isIn: ['/verification', ANSWERS_OF_PROCESSES] }],
    need: { present: '/command' },
    message: 'is required: it says what was run',
  },
  within('', EVIDENCE_MAX_BYTES),
];

/** A row of `delivery_assessments`: what a run delivered. */
export const deliveryAssessmentSchema = z.strictObject({
  assessment_id: uuid4.nullish(),
  outcome_id: uuid4,
  assessment: deliveryAssessment,
  reason: saying.nullish(),
});

export const deliveryAssessmentRules: readonly Rule[] = [
  {
    rule: 'reason',
    path: '/reason',
    when: [{ isIn: ['/assessment', ['hollow', 'missing_deliverable']] }],
    need: { present: '/reason' },
    message: 'is required: it says what was looked for and not found',
  },
  within('', EVIDENCE_MAX_BYTES),
];

const gateFlags = {
  /** Why what no verification has answered for may pass. */
  allow_unverified: saying.nullish(),
  /** Why what a verification has said no to may pass. */
  override_broken: saying.nullish(),
};

/** A row of `outcome_integrations`: an outcome's work was merged. It goes through the gate; one an outcome. */
export const integrationSchema = z.strictObject({
  outcome_id: uuid4,
  /** Where it went: a commit, a pull request's address. */
  reference: saying,
  ...gateFlags,
});

export const integrationRules: readonly Rule[] = [within('', EVIDENCE_MAX_BYTES)];

/** What is asked of the gate: outcomes, or the invocations and executions they end. */
export const gateSchema = z.strictObject({ ids: z.array(uuid4), ...gateFlags });

export const gateRules: readonly Rule[] = [
  { rule: 'not_empty', path: '/ids', need: { someEntry: '/ids' }, message: 'must have at least one entry' },
  { rule: 'unique', path: '/ids', need: { allDifferent: '/ids' }, message: 'must not hold the same id twice' },
  within('', EVIDENCE_MAX_BYTES),
];

/** A row of `lifecycle_events`: what an open run is doing, in the words of what runs it. */
export const lifecycleEventSchema = z.strictObject({
  lifecycle_event_id: uuid4.nullish(),
  invocation_id: uuid4.nullish(),
  execution_id: uuid4.nullish(),
  lifecycle: lifecycleEvent,
  reason: name.nullish(),
});

export const lifecycleEventRules: readonly Rule[] = [
  {
    rule: 'one_subject',
    path: '',
    need: { onePresent: ['/invocation_id', '/execution_id'] },
    message: 'must have exactly one of invocation_id and execution_id',
  },
  within('', EVIDENCE_MAX_BYTES),
];

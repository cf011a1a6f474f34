// The success contract's table, written by hand from task-success-contract-tables.md: what TypeScript, SQL and Cypher are held against.
import { LIFECYCLES, VERIFICATIONS } from '../../src/contract/judgment/words.ts';

/** outcome, reason, tag, gate, counts as success, in the success base, in the agent score. */
export type GoldenRow = readonly [string, string | null, string | null, string, boolean, boolean, boolean];

const VERIFIED: GoldenRow = ['verified', null, null, 'proceed', true, true, true];
const DELIVERED: GoldenRow = ['delivered', null, null, 'proceed', true, true, true];
const BROKEN: GoldenRow = ['broken', null, 'VFAIL', 'refuse_override', false, true, true];
const TIMED_OUT: GoldenRow = ['unverified', 'timed_out', 'VTIMEOUT', 'warn', false, true, false];
const INFRASTRUCTURE: GoldenRow = ['unverified', 'infrastructure', 'VINFRA', 'warn', false, true, false];
const NO_RESULT: GoldenRow = ['unverified', 'no_result', 'VNORESULT', 'warn', false, true, false];
const FAILED: GoldenRow = ['failed', null, null, 'refuse', false, true, true];
const STOPPED: GoldenRow = ['stopped', null, null, 'refuse', false, true, false];
const SKIPPED: GoldenRow = ['skipped', null, null, 'refuse', false, true, false];
const IN_PROGRESS: GoldenRow = ['in_progress', null, null, 'refuse', false, false, false];

// Columns: passed, failed, timed_out, infrastructure_failure, skipped, unobserved, pending.
const same = (row: GoldenRow) => Array.from({ length: 7 }, () => row);
/** The rows are the lifecycles. */
const GOLDEN: Record<string, Record<'required' | 'free', readonly GoldenRow[]>> = {
  waiting: { required: same(IN_PROGRESS), free: same(IN_PROGRESS) },
  pending: { required: same(IN_PROGRESS), free: same(IN_PROGRESS) },
  running: { required: same(IN_PROGRESS), free: same(IN_PROGRESS) },
  awaiting_input: { required: same(IN_PROGRESS), free: same(IN_PROGRESS) },
  stalled: { required: same(IN_PROGRESS), free: same(IN_PROGRESS) },
  done: {
    required: [VERIFIED, BROKEN, TIMED_OUT, INFRASTRUCTURE, NO_RESULT, NO_RESULT, NO_RESULT],
    free: [VERIFIED, BROKEN, TIMED_OUT, INFRASTRUCTURE, DELIVERED, NO_RESULT, DELIVERED],
  },
  merged: {
    required: [VERIFIED, BROKEN, TIMED_OUT, INFRASTRUCTURE, NO_RESULT, NO_RESULT, NO_RESULT],
    free: [VERIFIED, BROKEN, TIMED_OUT, INFRASTRUCTURE, DELIVERED, NO_RESULT, DELIVERED],
  },
  failed: { required: same(FAILED), free: same(FAILED) },
  stopped: { required: same(STOPPED), free: same(STOPPED) },
  skipped: { required: same(SKIPPED), free: same(SKIPPED) },
};

/** All 140 cells. */
export const GOLDEN_CELLS = Object.entries(GOLDEN).flatMap(([lifecycle, sides]) =>
  VERIFICATIONS.flatMap((verification, column) =>
    [true, false].map((required) => ({
      lifecycle,
      verification,
      required,
      row: sides[required ? 'required' : 'free'][column] as GoldenRow,
    })),
  ),
);
if (GOLDEN_CELLS.length !== LIFECYCLES.length * VERIFICATIONS.length * 2)
  throw new Error('the table by hand lacks cells');

import { createHash } from 'node:crypto';
import { randomFrom } from '../../test/support/random.ts';

const SEED = 6_102;
export const FILES = 20;
const FILE_BYTES = 10_000;
const WORDS = [
  'the',
  'plan',
  'names',
  'each',
  'carrier',
  'and',
  'its',
  'price',
  'in',
  'week',
  '{"a": 1}',
  '- [ ]',
  '42',
];

/** An artifact as the caller of `conclude_invocation` hands it over, and what else a row of it holds. */
export interface BenchArtifact {
  path: string;
  title: string;
  type: string;
  recovered: boolean;
  primary: boolean;
  content: string;
  sha256: string;
  size_bytes: number;
}

/** Twenty files of 10 kB of words, none like another. */
export const ARTIFACTS: readonly BenchArtifact[] = Array.from({ length: FILES }, (_, n) => {
  const path = `artifacts/output/part-${n}.md`;
  const content = words(SEED + n);
  const sha256 = createHash('sha256').update(content).digest('hex');
  return {
    path,
    title: `Plan: ${path}`,
    type: 'document',
    recovered: false,
    primary: n === 0,
    content,
    sha256,
    size_bytes: FILE_BYTES,
  };
});

/** What a clean run with a reported success comes to. */
export const REPORT = {
  report_state: 'success',
  phase_status: 'completed',
  failure_classification: null,
  reported_failure_reason: null,
  reported_side_effects: 'none',
  deliverable_recovered: false,
  error: null,
  warnings: [],
  claims: [
    {
      state: 'success',
      failure_reason: null,
      side_effects: 'none',
      comments: 'the plan is there',
      by_alias: false,
      text: 'TASK_RESULT: {"success": true, "side_effects": "none", "comments": "the plan is there"}\nTASK_RESULT_END',
      warnings: [],
    },
  ],
  claims_total: 1,
  stands: 0,
  observation: { exit_code: 0, stream_intact: true, cancelled: false, timed_out: false, interrupted: false },
};

export const RESULT = {
  comments: 'the plan is there',
  artifacts: ARTIFACTS.map(({ path, sha256 }) => ({ path, sha256 })),
  deliverable_recovered: false,
};

export const DIGEST = createHash('sha256').update('the request').digest('hex');

function words(seed: number): string {
  const random = randomFrom(seed);
  let text = '';
  while (text.length < FILE_BYTES) text += `${WORDS[Math.floor(random() * WORDS.length)]} `;
  return text.slice(0, FILE_BYTES);
}

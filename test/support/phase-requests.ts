import type { Document } from './envelopes.ts';

/** A run that ended as runs should. */
export const CLEAN = { exit_code: 0, stream_intact: true, cancelled: false, timed_out: false };

/** A report as an agent writes it. */
export function report(success: boolean, over: Document = {}): string {
  const words = { success, side_effects: 'none', comments: success ? 'wrote the plan' : 'no such carrier', ...over };
  return `TASK_RESULT: ${JSON.stringify(words)}\nTASK_RESULT_END`;
}

export const PLAN = { path: 'artifacts/output/plan.md', content: '# Plan\n' };

/** A good conclusion: a clean run that reported success and left one file. */
export function conclusion(over: Document = {}): Document {
  return { messages: ['I wrote it.', report(true)], observation: { ...CLEAN }, files: [{ ...PLAN }], ...over };
}

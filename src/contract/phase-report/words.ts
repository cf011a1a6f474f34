/** What kind of failure an agent says it was (phase-outcomes-tables.md). */
export const FAILURE_REASONS = ['task', 'platform', 'refused', 'unknown'] as const;
export type FailureReason = (typeof FAILURE_REASONS)[number];

/** What an agent says became of its external writes; the most severe last. */
export const SIDE_EFFECTS = ['none', 'succeeded', 'denied', 'failed'] as const;
export type SideEffects = (typeof SIDE_EFFECTS)[number];

/** The states of a phase's report, the strongest claim last. */
export const REPORT_STATES = ['not_reported', 'unreadable', 'success', 'failure'] as const;
export type ReportState = (typeof REPORT_STATES)[number];

/** One of the words, spelled exactly so; null for anything else. */
export function wordOf<Word extends string>(words: readonly Word[], value: unknown): Word | null {
  return words.find((word) => word === value) ?? null;
}

import { FAILURE_REASONS, type FailureReason, SIDE_EFFECTS, type SideEffects, wordOf } from './words.ts';

/** One report of an agent about its own run. */
export interface Claim {
  state: 'success' | 'failure' | 'unreadable';
  failure_reason: FailureReason | null;
  side_effects: SideEffects | null;
  /** What it wrote under `comments`, as text; empty when it wrote none. */
  comments: string;
  /** Read through `status` because `success` was missing. */
  by_alias: boolean;
  /** The report as it stood, or of an unreadable one its beginning. */
  text: string;
  /** What was lenient or odd in it. */
  warnings: string[];
}

/** At most so many UTF-16 units of an odd value are repeated in a warning. */
const SHOWN = 100;

/** What a closed block claims (phase-outcomes-rules.md section 2). */
export function claimOf(value: unknown, block: { statusKeys: number; fenced: boolean; text: string }): Claim {
  const warnings: string[] = [];
  if (block.fenced) warnings.push('the report stood in a code fence, which is not part of the format');
  const claim: Claim = {
    state: 'unreadable',
    failure_reason: null,
    side_effects: null,
    comments: '',
    by_alias: false,
    text: block.text,
    warnings,
  };
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return claim;
  const members = value as Record<string, unknown>;
  const success = Object.hasOwn(members, 'success') ? members['success'] : undefined;
  if (typeof success === 'boolean') claim.state = success ? 'success' : 'failure';
  else if (!Object.hasOwn(members, 'success')) claim.state = byStatus(members['status'], block.statusKeys, warnings);
  if (claim.state === 'unreadable') return claim;
  claim.by_alias = typeof success !== 'boolean';
  claim.comments = textOf(members['comments']);
  claim.failure_reason = read(FAILURE_REASONS, 'failure_reason', members, warnings);
  claim.side_effects = read(SIDE_EFFECTS, 'side_effects', members, warnings);
  return claim;
}

function byStatus(status: unknown, keys: number, warnings: string[]): Claim['state'] {
  if (keys > 1) {
    warnings.push('the report has no success and more than one status, so it is not read');
    return 'unreadable';
  }
  if (status !== 'completed' && status !== 'failed') return 'unreadable';
  warnings.push(`the report says "status": "${status}" where "success" belongs`);
  return status === 'completed' ? 'success' : 'failure';
}

function read<Word extends string>(
  words: readonly Word[],
  key: string,
  members: Record<string, unknown>,
  warnings: string[],
): Word | null {
  const value = Object.hasOwn(members, key) ? members[key] : null;
  const word = wordOf(words, value);
  if (word === null && value !== null) {
    warnings.push(`${key} is ${shown(value)}, which is none of: ${words.join(', ')}`);
  }
  return word;
}

function textOf(comments: unknown): string {
  if (comments === undefined || comments === null) return '';
  return typeof comments === 'string' ? comments : JSON.stringify(comments);
}

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length <= SHOWN ? text : `${text.slice(0, SHOWN)}…`;
}

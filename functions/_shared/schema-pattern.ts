// Which patterns of a registered schema are refused: those that a short text could keep a process busy with.
import type { Violation } from '../../src/contract/index.ts';

const MAX_PATTERN = 512;

/** What is wrong with a pattern that stands at `path`; empty when it may run. */
export function patternViolations(pattern: string, path: string): Violation[] {
  if (pattern.length > MAX_PATTERN) {
    return [{ path, rule: 'schema_pattern', message: `must be a pattern of at most ${MAX_PATTERN} characters` }];
  }
  if (!repeatsChoice(pattern)) return [];
  const message = 'must not repeat a group that holds an alternative or a repeat of its own';
  return [{ path, rule: 'schema_pattern', message }];
}

/**
 * A repeated group that can match one text in several ways, like `(a+)*` or `(a|a)*`: its match can take exponential
 * time. A group repeats when it may match twice; what it holds is a choice unless it is a fixed count like `{4}`.
 */
export function repeatsChoice(pattern: string): boolean {
  const open: boolean[] = [];
  let choice = false;
  let closedChoice = false;
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at];
    const quantifier = quantifierAt(pattern, at);
    if (quantifier) {
      if (closedChoice && quantifier.max > 1) return true;
      choice ||= quantifier.min !== quantifier.max;
    }
    closedChoice = false;
    if (char === '\\') at += 1;
    else if (char === '[') at = endOfClass(pattern, at);
    else if (char === '|') choice = true;
    else if (char === '(') {
      open.push(choice);
      choice = false;
      // The mark of `(?:`, `(?=` and `(?<name>` is no quantifier.
      if (pattern[at + 1] === '?') at += 1;
    } else if (char === ')') {
      closedChoice = choice;
      choice = (open.pop() ?? false) || choice;
    }
  }
  return false;
}

function quantifierAt(pattern: string, at: number): { min: number; max: number } | null {
  const char = pattern[at];
  if (char === '*') return { min: 0, max: Number.POSITIVE_INFINITY };
  if (char === '+') return { min: 1, max: Number.POSITIVE_INFINITY };
  if (char === '?') return { min: 0, max: 1 };
  const counted = char === '{' ? /^\{(\d+)(,?)(\d*)\}/.exec(pattern.slice(at)) : null;
  if (!counted) return null;
  const min = Number(counted[1]);
  if (!counted[2]) return { min, max: min };
  return { min, max: counted[3] ? Number(counted[3]) : Number.POSITIVE_INFINITY };
}

function endOfClass(pattern: string, from: number): number {
  let at = from + 1;
  while (at < pattern.length && pattern[at] !== ']') at += pattern[at] === '\\' ? 2 : 1;
  return at;
}

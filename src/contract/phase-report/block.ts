import { findValue, past } from './json-end.ts';

export const MARKER = 'TASK_RESULT:';
export const TERMINATOR = 'TASK_RESULT_END';

/** A block's marker, value and terminator have to fit into so many UTF-16 units; a longer one counts as not closed. */
export const LONGEST_BLOCK = 4 * 2 ** 20;

/** What follows a marker. `resume`: where the search for the next marker goes on. */
export type Block =
  | { kind: 'closed'; value: unknown; statusKeys: number; fenced: boolean; resume: number }
  | { kind: 'unclosed'; resume: number }
  /** The text ends before it can be told. */
  | { kind: 'more' };

// White space as Python's `isspace` has it: unlike `\s` with U+001C to U+001F and U+0085, and without U+FEFF.
// biome-ignore lint/suspicious/noControlCharactersInRegex: the separators count as white space there
const SPACE = /[\t-\r\u001c- \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]*/y;
const FENCE = '```';
const LANGUAGE = /[A-Za-z0-9_+-]*/y;
const WORD = /[\p{L}\p{N}_]/uy;

/**
 * Reads the block whose marker ends at `from`: white space, one JSON value, white space, the terminator; or the same with
 * the value in a code fence (phase-outcomes-rules.md sections 1 and 2). `whole`: no more text will come.
 */
export function readBlock(text: string, from: number, whole: boolean): Block {
  const limit = from - MARKER.length + LONGEST_BLOCK;
  // Two more: what follows a terminator decides whether it is one.
  const more = (resume: number): Block =>
    whole || text.length > limit + 2 ? { kind: 'unclosed', resume } : { kind: 'more' };
  const start = past(SPACE, text, from);
  const opening = startsAt(text, FENCE, start);
  if (opening === 'more') return more(start);
  let at = start;
  if (opening) {
    at = past(LANGUAGE, text, start + FENCE.length);
    if (at >= text.length) return more(start);
    at = past(SPACE, text, at);
  }
  if (at >= text.length) return more(start);
  const found = findValue(text, at, limit);
  // A number at the very end of the message ends there; nothing closes it, so where it ends does not matter.
  if (found === 'more') return more(start);
  if (found === 'none') return { kind: 'unclosed', resume: start };
  const { end, statusKeys } = found;
  let closing = past(SPACE, text, end);
  if (opening) {
    const fence = startsAt(text, FENCE, closing);
    if (fence === 'more') return more(end);
    if (!fence) return { kind: 'unclosed', resume: end };
    closing = past(SPACE, text, closing + FENCE.length);
  }
  const terminator = startsAt(text, TERMINATOR, closing);
  if (terminator === 'more') return more(end);
  const resume = closing + TERMINATOR.length;
  if (!terminator || resume > limit) return { kind: 'unclosed', resume: end };
  // Half a surrogate pair may become a letter.
  if (!whole && resume + 1 >= text.length && !isAscii(text.charCodeAt(resume))) return more(end);
  WORD.lastIndex = resume;
  if (WORD.test(text)) return { kind: 'unclosed', resume: end };
  return { kind: 'closed', value: JSON.parse(text.slice(at, end)), statusKeys, fenced: opening, resume };
}

/** NaN past the end is not ASCII. */
const isAscii = (code: number): boolean => code < 0x80;

function startsAt(text: string, words: string, at: number): boolean | 'more' {
  if (text.startsWith(words, at)) return true;
  return text.length - at < words.length && words.startsWith(text.slice(at)) ? 'more' : false;
}

import type { Token } from './tokens.ts';

const BRACKETS = {
  policies: { open: '([{', close: ')]}' },
  schema: { open: '([{<', close: ')]}>' },
} as const;

/** Words that stand between operands; a chain of members ends before them. */
const BETWEEN = new Set(['if', 'then', 'else', 'in', 'has', 'like', 'is', 'when', 'unless']);
const NESTING_WORDS = new Set(['if', 'when', 'unless']);

/** Of Cedar's stack, in units: a bracket takes half as much again as a step of a chain. */
const BRACKET = 3;
const STEP = 2;

/** What nests between one pair of brackets, besides the brackets. */
interface Frame {
  readonly base: number;
  /** `if`s, conditions, `&&` and `||` so far: each holds what follows, or what went before. */
  logic: number;
  /** Operators of the sum so far: each is the left operand of the next. */
  sums: number;
  /** Members and indexes so far: each stands on the one before. */
  chain: number;
}

const frameAt = (base: number): Frame => ({ base, logic: 0, sums: 0, chain: 0 });
const depthOf = (frame: Frame) => frame.base + STEP * (frame.logic + frame.sums + frame.chain);

/**
 * The first token that stands deeper than `most` levels of brackets, or what takes Cedar's readers as deep: chains of
 * `&&`, `||`, members, sums, conditions, `if`s, one and a half of them for a bracket. Undefined when all is well.
 */
export function tooDeep(tokens: readonly Token[], language: keyof typeof BRACKETS, most: number): Token | undefined {
  const frames: Frame[] = [frameAt(0)];
  let previous: Token | undefined;
  for (const token of tokens) {
    const frame = frames.at(-1) ?? frameAt(0);
    if (token.kind === 'word' && previous?.text !== '.') {
      if (BETWEEN.has(token.text)) frame.chain = 0;
      if (NESTING_WORDS.has(token.text)) frame.logic += 1;
    } else if (token.kind === 'mark') step(token, previous, frames, language);
    if (depthOf(frames.at(-1) ?? frame) > BRACKET * most) return token;
    previous = token;
  }
  return undefined;
}

function step(token: Token, previous: Token | undefined, frames: Frame[], language: keyof typeof BRACKETS): void {
  const frame = frames.at(-1) ?? frameAt(0);
  const mark = token.text;
  if (BRACKETS[language].open.includes(mark)) {
    if (mark === '[' && previous && endsAnOperand(previous)) frame.chain += 1;
    frames.push(frameAt(depthOf(frame) + BRACKET));
  } else if (BRACKETS[language].close.includes(mark)) {
    if (frames.length > 1) frames.pop();
  } else if (mark === '.') frame.chain += 1;
  else {
    frame.chain = 0;
    frame.sums = '+-*'.includes(mark) ? frame.sums + 1 : 0;
    // The second half of `&&` and `||`.
    if ((mark === '&' || mark === '|') && previous?.text === mark) frame.logic += 1;
    if (mark === ',' || mark === ';') frame.logic = 0;
  }
}

function endsAnOperand(token: Token): boolean {
  if (token.kind === 'word') return !BETWEEN.has(token.text);
  return token.kind === 'string' || token.text === ')' || token.text === ']';
}

import { QueryRefused } from '../fault.ts';
import { isKeyword, type Token } from './query-tokens.ts';

/** Values that one call may make of nothing. */
const MOST_AT_ONCE = 10_000;
/** Values that all of them together may make: calls beside and within each other multiply. */
const MOST_TOGETHER = 100_000;
const MOST_UNWINDS = 3;

/** Which argument says how long the answer becomes. */
const LENGTH_IN: Record<string, number> = { REPEAT: 1, LPAD: 1, RPAD: 1 };

/**
 * Refuses texts that make much of little. The library looks at no clock within a function, and what a list takes there is
 * outside the buffer pool: `range(1, 30000000)` goes on after its time, until the system ends the process. So the sizes must be
 * readable from the text, or from its parameters' values. What gets past this, `OverrunWatch` ends, at the cost of the process.
 *
 * @throws QueryRefused `query_unbounded`
 */
export function refuseGrowth(tokens: readonly Token[], parameters: Record<string, unknown>): void {
  let together = 1;
  let unwinds = 0;
  for (const [at, token] of tokens.entries()) {
    if (isKeyword(tokens, at, 'UNWIND')) unwinds += 1;
    const name = tokens[at + 1]?.text === '(' ? nameOf(token) : '';
    if (name === 'LIST_REDUCE') refuse('list_reduce(…) may double a list with each element: aggregate with UNWIND');
    if (name !== 'RANGE' && !Object.hasOwn(LENGTH_IN, name)) continue;
    const count = countOf(name, argumentsOf(tokens, at + 1), parameters);
    if (count > MOST_AT_ONCE) {
      refuse(`${token.text}(…) makes ${count} values here, and at most ${MOST_AT_ONCE} are allowed: ask for less`);
    }
    together *= Math.max(count, 1);
  }
  if (together > MOST_TOGETHER) {
    refuse(
      `range, repeat, lpad and rpad of this query multiply to ${together} values, and at most ${MOST_TOGETHER} are allowed: use fewer or shorter ones`,
    );
  }
  if (unwinds > MOST_UNWINDS) {
    refuse(`the query has ${unwinds} UNWINDs, which multiply each other: write at most ${MOST_UNWINDS}`);
  }
}

/** Functions may be named in backticks, too. */
function nameOf({ kind, text, value }: Token): string {
  if (kind === 'word') return value;
  return text.startsWith('`') ? text.slice(1, -1).toUpperCase() : '';
}

function argumentsOf(tokens: readonly Token[], open: number): Token[][] {
  const depth = (tokens[open] as Token).depth;
  const found: Token[][] = [[]];
  for (let at = open + 1; at < tokens.length; at += 1) {
    const token = tokens[at] as Token;
    if (token.depth <= depth) break;
    if (token.text === ',' && token.depth === depth + 1) found.push([]);
    else found.at(-1)?.push(token);
  }
  return found;
}

function countOf(name: string, args: Token[][], parameters: Record<string, unknown>): number {
  const number = (at: number) => wholeNumber(name, args[at] ?? [], parameters);
  if (name !== 'RANGE') return number(LENGTH_IN[name] as number);
  const step = args.length > 2 ? number(2) : 1;
  // The library refuses a step of 0 by itself.
  return step === 0 ? 0 : Math.max(0, Math.floor((number(1) - number(0)) / step) + 1);
}

function wholeNumber(name: string, argument: Token[], parameters: Record<string, unknown>): number {
  const minus = argument[0]?.text === '-';
  const [token, ...more] = minus ? argument.slice(1) : argument;
  if (token && more.length === 0) {
    if (token.kind === 'number' && /^\d+$/.test(token.text)) return Number(token.text) * (minus ? -1 : 1);
    const value = token.kind === 'parameter' ? parameters[token.value] : undefined;
    if (typeof value === 'number' && Number.isSafeInteger(value)) return minus ? -value : value;
  }
  return refuse(
    `how much ${name.toLowerCase()}(…) makes must be readable: give it whole numbers, or parameters that are, e.g. range(1, 100)`,
  );
}

function refuse(what: string): never {
  throw new QueryRefused('query_unbounded', what);
}

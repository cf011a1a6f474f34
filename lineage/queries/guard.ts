import { QueryRefused } from '../graph/fault.ts';
import { refuseProcedures } from './guard-procedures.ts';
import { type Token, tokensOf } from './tokens.ts';

/** The most links that a path of a query may follow. */
export const DEEPEST = 64;

/**
 * Refuses paths without an upper bound, and bounds above 64: on a graph with cycles they never end. Bounds are looked for
 * where patterns have them: `-[*]->`, `-[*2..]->`, `-->+`, `((a)-->(b))*`, `{1,}`. Refuses procedures, but for a few that tell
 * about the graph. Whether a text writes is the graph's to see.
 *
 * @throws QueryRefused `query_unbounded`, with what to write instead; `query_writes` for a procedure
 */
export function guardQuery(text: string): void {
  guardTokens(tokensOf(text));
  // Neo4j decodes these anywhere before it reads the text, so that `\u002a` is a star and `\u0027` ends a string.
  const decoded = text.replace(/\\u+([\da-f]{4})/gi, (_, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  if (decoded !== text) guardTokens(tokensOf(decoded));
}

function guardTokens(tokens: readonly Token[]): void {
  refuseUnbounded(tokens);
  refuseProcedures(tokens);
}

interface Bracket {
  open: '(' | '[' | '{';
  /** Square ones after a dash hold a relationship; round ones that hold a node and an arrow are a path. */
  pattern: boolean;
  /** Past the WHERE of a relationship: in `-[r:INVOKED WHERE r.a * 2 > 1]->` the star multiplies. */
  filter: boolean;
}

function refuseUnbounded(tokens: readonly Token[]): void {
  const open: Bracket[] = [];
  let closed: Bracket | undefined;
  for (const [at, token] of tokens.entries()) {
    const symbol = token.kind === 'symbol' ? token.text : '';
    const inside = open.at(-1);
    if (symbol === '(' || symbol === '[' || symbol === '{') {
      if (symbol === '{') refuseBraces(tokens, at);
      open.push({ open: symbol, pattern: symbol === '[' && isSymbol(tokens[at - 1], '-'), filter: false });
    } else if (symbol === ')' || symbol === ']' || symbol === '}') {
      closed = open.pop();
    } else if (inside?.open === '[' && isWhere(tokens, at)) {
      inside.filter = true;
    } else if (symbol === '*' && inside?.open === '[' && inside.pattern && !inside.filter) {
      refuseLength(tokens, at);
    } else if (symbol === '+' || symbol === '*') {
      if (isQuantifier(tokens, at, closed)) refuse(`${tokens[at - 1]?.text}${symbol}`, `${tokens[at - 1]?.text}{1,20}`);
    } else if (inside?.open === '(' && isArrow(tokens, at)) {
      inside.pattern = true;
    }
  }
}

/** WHERE as a word of the language: a type or a variable may be called so too. */
function isWhere(tokens: readonly Token[], at: number): boolean {
  const named = [':', '|', '&', '!', '['].some((symbol) => isSymbol(tokens[at - 1], symbol));
  return tokens[at]?.kind === 'name' && tokens[at].text.toUpperCase() === 'WHERE' && !named;
}

/** `*`, `*3`, `*1..20`, and the embedded graph's `* SHORTEST 1..20`. */
function refuseLength(tokens: readonly Token[], star: number): void {
  let at = star + 1;
  while (tokens[at]?.kind === 'name') at += 1;
  const range = isSymbol(tokens[at], '(') ? undefined : rangeAt(tokens, at, '..');
  const words = tokens.slice(star + 1, at).map((token) => ` ${token.text}`);
  const wanted = `*${words.join('')}${words.length > 0 ? ' ' : ''}1..20`;
  check(range, `*${words.join('')}${words.length > 0 ? ' ' : ''}${range?.text ?? ''}`.trim(), wanted);
}

/** `{1,20}` and the like can be nothing but a quantifier. */
function refuseBraces(tokens: readonly Token[], brace: number): void {
  const range = rangeAt(tokens, brace + 1, ',');
  if (range && range.text !== '' && isSymbol(tokens[range.end], '}')) check(range, `{${range.text}}`, '{1,20}');
}

interface Range {
  upper: number | null;
  text: string;
  end: number;
}

function rangeAt(tokens: readonly Token[], at: number, separator: string): Range | undefined {
  const lower = bound(tokens[at]);
  const middle = lower === undefined ? at : at + 1;
  if (!isSymbol(tokens[middle], separator)) {
    return { upper: lower ?? null, text: lower === undefined ? '' : (tokens[at]?.text ?? ''), end: middle };
  }
  const upper = bound(tokens[middle + 1]);
  const end = upper === undefined ? middle + 1 : middle + 2;
  const text = tokens.slice(at, end).map((token) => token.text);
  return { upper: upper ?? null, text: text.join(''), end };
}

/** A number, or a parameter, which says nothing about how far a path may go. */
function bound(token: Token | undefined): number | undefined {
  if (token?.kind === 'parameter') return Number.POSITIVE_INFINITY;
  return token?.kind === 'number' ? Number(token.text.replaceAll('_', '')) : undefined;
}

function check(range: Range | undefined, found: string, wanted: string): void {
  const upper = range?.upper ?? null;
  if (upper === null) refuse(found, wanted);
  if (!(upper <= DEEPEST)) {
    throw new QueryRefused(
      'query_unbounded',
      `${found} follows more than ${DEEPEST} links: write an upper bound of at most ${DEEPEST}, e.g. ${wanted}`,
    );
  }
}

function refuse(found: string, wanted: string): never {
  throw new QueryRefused(
    'query_unbounded',
    `a path needs an upper bound, and ${found} has none: write one of at most ${DEEPEST}, e.g. ${wanted}`,
  );
}

/** `-->+`, `]-+` behind a relationship, `((a)-->(b))+`; elsewhere plus and star are arithmetic, or all columns. */
function isQuantifier(tokens: readonly Token[], at: number, closed: Bracket | undefined): boolean {
  const [second, first] = [tokens[at - 1], tokens[at - 2]];
  if (isSymbol(second, ')')) return closed?.pattern === true && closed.open === '(' && !isOperand(tokens[at + 1]);
  if (isSymbol(second, '>')) return isSymbol(first, '-');
  if (!isSymbol(second, '-')) return false;
  return isSymbol(first, '-') || (isSymbol(first, ']') && closed?.pattern === true);
}

const isOperand = (token: Token | undefined) =>
  token?.kind === 'number' || token?.kind === 'quoted' || token?.kind === 'parameter';

/** An arrow behind a node, `)--`, `)-[`, `)<-`: one dash alone is a minus. */
function isArrow(tokens: readonly Token[], at: number): boolean {
  const dash = isSymbol(tokens[at], '<') ? at + 1 : at;
  if (!isSymbol(tokens[at - 1], ')') || !isSymbol(tokens[dash], '-')) return false;
  return isSymbol(tokens[dash + 1], '-') || isSymbol(tokens[dash + 1], '[');
}

const isSymbol = (token: Token | undefined, text: string) => token?.kind === 'symbol' && token.text === text;

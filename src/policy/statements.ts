import type { Token } from './tokens.ts';

/** One policy of a text, as offsets in UTF-16 units. */
export interface Statement {
  readonly start: number;
  /** After its semicolon. */
  readonly end: number;
  /** After the bracket that closes its scope: before it stand annotations, effect and scope; undefined if it has none. */
  readonly headEnd: number | undefined;
  /** Where a template's slot stands, such as `?principal`. */
  readonly slot: number | undefined;
  readonly tokens: number;
}

/**
 * The policies of a text, in order: in Cedar a semicolon ends a policy and stands nowhere else. What follows the last
 * one is a statement too.
 */
export function statementsOf(tokens: readonly Token[]): Statement[] {
  const statements: Statement[] = [];
  let from = 0;
  for (let index = 0; index < tokens.length; index++) {
    if (tokens[index]?.text !== ';' && index !== tokens.length - 1) continue;
    statements.push(statementOf(tokens.slice(from, index + 1)));
    from = index + 1;
  }
  return statements;
}

function statementOf(tokens: readonly Token[]): Statement {
  return {
    start: tokens[0]?.start ?? 0,
    end: tokens.at(-1)?.end ?? 0,
    headEnd: headEndOf(tokens),
    slot: tokens.find((token, index) => token.text === '?' && tokens[index + 1]?.kind === 'word')?.start,
    tokens: tokens.length,
  };
}

function headEndOf(tokens: readonly Token[]): number | undefined {
  const opens = tokens.findIndex(
    (token, index) => token.text === '(' && isEffect(tokens[index - 1]) && tokens[index - 2]?.text !== '@',
  );
  if (opens < 0) return undefined;
  let level = 0;
  for (const token of tokens.slice(opens)) {
    if (token.text === '(') level += 1;
    if (token.text === ')') level -= 1;
    if (level === 0) return token.end;
  }
  return undefined;
}

function isEffect(token: Token | undefined): boolean {
  return token?.text === 'permit' || token?.text === 'forbid';
}

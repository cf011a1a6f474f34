/** A token of Cedar's policy or schema text. `start` and `end` are offsets in UTF-16 units. */
export interface Token {
  readonly kind: 'word' | 'number' | 'string' | 'mark';
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const SKIPPED = /(?:[\s\ufeff]+|\/\/[^\n\r]*)+/y;
const WORD = /[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /[0-9]+/y;
const STRING = /"[^"\\]*(?:\\[\s\S][^"\\]*)*"?/y;
const MARK = /[\s\S]/y;

const KINDS = [
  ['word', WORD],
  ['number', NUMBER],
  ['string', STRING],
  ['mark', MARK],
] as const;

/** The tokens of a text, whether or not it is Cedar: a string that is not closed reaches to the end. Linear time. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  for (;;) {
    at += lengthOf(SKIPPED, text, at);
    if (at >= text.length) return tokens;
    for (const [kind, expression] of KINDS) {
      const length = lengthOf(expression, text, at);
      if (length === 0) continue;
      tokens.push({ kind, text: text.slice(at, at + length), start: at, end: at + length });
      at += length;
      break;
    }
  }
}

function lengthOf(expression: RegExp, text: string, at: number): number {
  expression.lastIndex = at;
  return expression.exec(text)?.[0].length ?? 0;
}

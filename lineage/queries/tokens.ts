/** A piece of a Cypher text that means something: no white space, no comment. */
export interface Token {
  /** `quoted` is a string, `name` a word or a name in backticks, `symbol` one character (or `..`). */
  kind: 'name' | 'quoted' | 'number' | 'parameter' | 'symbol';
  text: string;
  start: number;
}

// A number takes no second dot with it: `1..20` is a number, two dots, a number.
const PIECES = new RegExp(
  [
    String.raw`(?<space>\s+|//[^\r\n]*|/\*[\s\S]*?(?:\*/|$))`,
    String.raw`(?<quoted>'(?:[^'\\]|\\[\s\S])*(?:'|$)|"(?:[^"\\]|\\[\s\S])*(?:"|$))`,
    String.raw`(?<parameter>\$(?:\w+|${'`'}[^${'`'}]*${'`'}))`,
    String.raw`(?<name>[\p{L}\p{Nl}\p{Pc}][\p{L}\p{N}\p{Pc}\p{M}]*|${'`'}(?:[^${'`'}]|${'``'})*(?:${'`'}|$))`,
    String.raw`(?<number>0[xo][\da-f_]+|\d[\d_]*(?:\.\d[\d_]*)?(?:e[+-]?\d+)?)`,
    String.raw`(?<symbol>\.\.|[\s\S])`,
  ].join('|'),
  'iuy',
);

/** What Neo4j takes for a dash or the head of an arrow, besides `-`, `<` and `>`. */
const DASHES = '\u00ad\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63\uff0d';
const LEFT_HEADS = '\u27e8\u3008\ufe64\uff1c';
const RIGHT_HEADS = '\u27e9\u3009\ufe65\uff1e';

/** Cuts a text into its tokens. It judges nothing: what is no Cypher is the graph's to refuse. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  const pieces = new RegExp(PIECES, 'giuy');
  for (const match of text.matchAll(pieces)) {
    const [kind, piece] = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined) ?? [];
    if (!kind || kind === 'space' || piece === undefined) continue;
    tokens.push({ kind: kind as Token['kind'], text: kind === 'symbol' ? plain(piece) : piece, start: match.index });
  }
  return tokens;
}

function plain(symbol: string): string {
  if (DASHES.includes(symbol)) return '-';
  if (LEFT_HEADS.includes(symbol)) return '<';
  return RIGHT_HEADS.includes(symbol) ? '>' : symbol;
}

/** The names of the parameters that a text asks for, each once. */
export function parametersOf(text: string): string[] {
  const names = tokensOf(text)
    .filter((token) => token.kind === 'parameter')
    .map((token) => token.text.slice(1).replaceAll('`', ''));
  return [...new Set(names)];
}

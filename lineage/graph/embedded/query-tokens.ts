/** A piece of a query's text that means something: no white space, no comment. */
export interface Token {
  kind: 'word' | 'quoted' | 'parameter' | 'number' | 'symbol';
  text: string;
  /** For comparing: words in capitals, parameters without `$`. */
  value: string;
  start: number;
  /** How many brackets of any kind are open around it. */
  depth: number;
}

const PIECES =
  /(?<space>\s+|\/\/[^\n]*|\/\*[\s\S]*?\*\/)|(?<quoted>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|`[^`]*`)|(?<parameter>\$\w+)|(?<word>[\p{L}_][\p{L}\p{N}_]*)|(?<number>\d[\w.]*)|(?<symbol>[\s\S])/gsuy;

/** Cuts a query into its tokens. It judges nothing: what is no Cypher is the library's to refuse. */
export function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  let depth = 0;
  for (const match of text.matchAll(PIECES)) {
    const [kind, piece] = Object.entries(match.groups ?? {}).find(([, found]) => found !== undefined) as [
      string,
      string,
    ];
    if (kind === 'space') continue;
    if (')]}'.includes(piece)) depth -= 1;
    tokens.push({
      kind: kind as Token['kind'],
      text: piece,
      value: comparable(kind, piece),
      start: match.index,
      depth,
    });
    if ('([{'.includes(piece)) depth += 1;
  }
  return tokens;
}

function comparable(kind: string, piece: string): string {
  if (kind === 'word') return piece.toUpperCase();
  return kind === 'parameter' ? piece.slice(1) : piece;
}

/** Is it a keyword and not the name of a property, a label or a map's key? */
export function isKeyword(tokens: readonly Token[], at: number, ...words: string[]): boolean {
  const token = tokens[at];
  if (token?.kind !== 'word' || !words.includes(token.value)) return false;
  const before = tokens[at - 1]?.text;
  return before !== '.' && before !== ':' && tokens[at + 1]?.text !== ':';
}

/**
 * Splits a migration into its statements, as the Supabase CLI records them: at semicolons outside strings, quoted
 * names, dollar quotes, comments, parentheses and `begin atomic … end` bodies. Comments stay with the statement that
 * follows; text after the last statement that holds comments only is left out.
 */
export function splitStatements(text: string): string[] {
  const statements: string[] = [];
  let start = 0;
  let depth = 0;
  let atomic = 0;
  let code = false;
  for (const token of tokens(text)) {
    if (token.kind === 'blank') continue;
    if (token.text === ';' && depth === 0 && atomic === 0) {
      if (code) statements.push(text.slice(start, token.at).trim());
      start = token.at + 1;
      code = false;
      continue;
    }
    code = true;
    const word = token.text.toLowerCase();
    if (word === '(') depth += 1;
    else if (word === ')') depth -= 1;
    else if (/^begin\s+atomic$/.test(word) || (atomic > 0 && word === 'case')) atomic += 1;
    else if (atomic > 0 && word === 'end') atomic -= 1;
  }
  if (code) statements.push(text.slice(start).trim());
  return statements;
}

type Token = { kind: 'blank' | 'code'; text: string; at: number };

const TOKEN = new RegExp(
  [
    /(?<blank>\s+|--[^\n]*)/,
    /(?<comment>\/\*)/,
    /(?<dollar>\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$)/,
    /(?<escaped>[eE]'(?:[^'\\]|\\[\s\S]|'')*')/,
    /(?<quoted>'(?:[^']|'')*'|"(?:[^"]|"")*")/,
    /(?<atomic>[bB][eE][gG][iI][nN]\s+[aA][tT][oO][mM][iI][cC]\b)/,
    /(?<word>[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*)/,
    /(?<other>[\s\S])/,
  ]
    .map((part) => part.source)
    .join('|'),
  'y',
);

function* tokens(text: string): Generator<Token> {
  let at = 0;
  while (at < text.length) {
    TOKEN.lastIndex = at;
    const match = TOKEN.exec(text);
    const groups = match?.groups ?? {};
    let end = at + (match?.[0].length ?? 1);
    if (groups['comment']) end = endOfComment(text, at);
    else if (groups['dollar']) end = endOfDollarQuote(text, at, groups['dollar']);
    const kind = groups['blank'] || groups['comment'] ? 'blank' : 'code';
    yield { kind, text: text.slice(at, end), at };
    at = end;
  }
}

// Block comments nest in SQL.
function endOfComment(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length - 1; at += 1) {
    const two = text.slice(at, at + 2);
    if (two === '/*') depth += 1;
    else if (two === '*/') depth -= 1;
    else continue;
    at += 1;
    if (depth === 0) return at + 1;
  }
  return text.length;
}

function endOfDollarQuote(text: string, from: number, tag: string): number {
  const close = text.indexOf(tag, from + tag.length);
  return close === -1 ? text.length : close + tag.length;
}

/** What stands at a place of a text: a JSON value up to `end`, none, or one that the text is too short to tell. */
export type Found = { end: number; statusKeys: number } | 'none' | 'more';

/** Deeper values are none: no report needs them, and a stack has to end somewhere. */
const DEEPEST = 1_000;

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them unescaped
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const ESCAPE_BEGUN = /\\(?:u[0-9a-fA-F]{0,3})?$/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const NUMBER_LIKE = /[-+0-9.eE]*/y;
const SPACE = /[ \t\n\r]*/y;
const WORDS = ['true', 'false', 'null'];

const OBJECT = 0;
const ARRAY = 1;

/**
 * Finds where the JSON value that begins at `from` ends, strictly by RFC 8259, without building it: a text that is no JSON
 * is left at the first character that shows it. Counts the `status` keys of an outermost object, unescaped, which
 * `JSON.parse` would keep one of. Past `limit` there is no value.
 */
export function findValue(text: string, from: number, limit: number): Found {
  const open: number[] = [];
  let statusKeys = 0;
  let at = from;
  /** Whether a member or an element must come, may come, or only a comma or the end. */
  let next: 'value' | 'first' | 'key' | 'after' = 'value';
  for (;;) {
    if (open.length > 0 || next !== 'value') at = past(SPACE, text, at);
    if (at > limit) return 'none';
    if (at >= text.length) return 'more';
    const char = text[at];
    const container = open.at(-1);
    if (next === 'after') {
      if (char === ',') {
        at += 1;
        next = container === OBJECT ? 'key' : 'value';
        continue;
      }
      if (char !== (container === OBJECT ? '}' : ']')) return 'none';
      at += 1;
      open.pop();
    } else if (next === 'key' || (next === 'first' && container === OBJECT)) {
      if (next === 'first' && char === '}') {
        at += 1;
        open.pop();
      } else {
        if (char !== '"') return 'none';
        const end = stringEnd(text, at);
        if (typeof end === 'string') return end;
        if (open.length === 1 && isStatus(text.slice(at, end))) statusKeys += 1;
        at = past(SPACE, text, end);
        if (at >= text.length) return 'more';
        if (text[at] !== ':') return 'none';
        at = past(SPACE, text, at + 1);
        next = 'value';
        continue;
      }
    } else if (next === 'first' && char === ']') {
      at += 1;
      open.pop();
    } else if (char === '{' || char === '[') {
      if (open.length === DEEPEST) return 'none';
      open.push(char === '{' ? OBJECT : ARRAY);
      at += 1;
      next = 'first';
      continue;
    } else {
      const end = scalarEnd(text, at);
      if (typeof end === 'string') return end;
      at = end;
    }
    if (open.length === 0) return at > limit ? 'none' : { end: at, statusKeys };
    next = 'after';
  }
}

function scalarEnd(text: string, at: number): number | 'none' | 'more' {
  const char = text[at] ?? '';
  if (char === '"') return stringEnd(text, at);
  if (char === '-' || (char >= '0' && char <= '9')) {
    // What looks like a number up to the end of the text may go on.
    if (past(NUMBER_LIKE, text, at) >= text.length) return 'more';
    const end = past(NUMBER, text, at);
    return end === at ? 'none' : end;
  }
  for (const word of WORDS) {
    if (text.startsWith(word, at)) return at + word.length;
    if (text.length - at < word.length && word.startsWith(text.slice(at))) return 'more';
  }
  return 'none';
}

function stringEnd(text: string, at: number): number | 'none' | 'more' {
  for (let place = at + 1; ; ) {
    place = past(PLAIN, text, place);
    if (place >= text.length) return 'more';
    const char = text[place];
    if (char === '"') return place + 1;
    if (char !== '\\') return 'none';
    const end = past(ESCAPE, text, place);
    if (end === place) return past(ESCAPE_BEGUN, text, place) > place ? 'more' : 'none';
    place = end;
  }
}

function isStatus(quoted: string): boolean {
  return quoted === '"status"' || (quoted.includes('\\') && JSON.parse(quoted) === 'status');
}

/** Where the text that a sticky expression takes at a place ends; the place itself where it takes none. */
export function past(expression: RegExp, text: string, at: number): number {
  expression.lastIndex = at;
  return expression.test(text) ? expression.lastIndex : at;
}

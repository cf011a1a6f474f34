/** The text is not JSON at this offset. */
export class JsonSyntaxError extends Error {
  readonly offset: number;
  constructor(offset: number, expected: string) {
    super(expected);
    this.offset = offset;
  }
}

const SPACE = /[ \t\n\r]*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids them unescaped
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const HEX4 = /[0-9a-fA-F]{4}/y;
const ESCAPES: Readonly<Record<string, string>> = {
  '"': '"',
  '\\': '\\',
  '/': '/',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
};

/** Reads the tokens of RFC 8259 off a text, one character range after the other. */
export class Scanner {
  readonly text: string;
  offset = 0;

  constructor(text: string) {
    this.text = text;
  }

  #match(expression: RegExp): string | undefined {
    expression.lastIndex = this.offset;
    const found = expression.exec(this.text)?.[0];
    if (found !== undefined) this.offset += found.length;
    return found;
  }

  /** The next character after white space; empty at the end. */
  peek(): string {
    this.#match(SPACE);
    return this.text[this.offset] ?? '';
  }

  fail(expected: string): never {
    throw new JsonSyntaxError(this.offset, expected);
  }

  /** Takes `char` if it comes next. */
  take(char: string): boolean {
    if (this.peek() !== char) return false;
    this.offset += 1;
    return true;
  }

  word(word: string): void {
    if (!this.text.startsWith(word, this.offset)) this.fail('a JSON value');
    this.offset += word.length;
  }

  number(): string {
    return this.#match(NUMBER) ?? this.fail('a JSON number');
  }

  string(): string {
    if (!this.take('"')) this.fail('a string in double quotes');
    const known = this.#decoded();
    if (known !== undefined) return known;
    const parts: string[] = [];
    for (;;) {
      parts.push(this.#match(PLAIN) ?? '');
      const char = this.text[this.offset];
      if (char === '"') {
        this.offset += 1;
        return parts.join('');
      }
      if (char === '\\') parts.push(this.#escape());
      else if (char === undefined) this.fail('a closing double quote');
      else this.fail('an escape instead of a control character');
    }
  }

  /** The platform decodes escapes many times faster; what it refuses is read again here, to say where and why. */
  #decoded(): string | undefined {
    const end = this.#closingQuote();
    if (end < 0) return undefined;
    try {
      const decoded: string = JSON.parse(this.text.slice(this.offset - 1, end + 1));
      this.offset = end + 1;
      return decoded;
    } catch {
      return undefined;
    }
  }

  /** The offset of the next quote that no backslash escapes; -1 without one. */
  #closingQuote(): number {
    for (let at = this.text.indexOf('"', this.offset); at >= 0; at = this.text.indexOf('"', at + 1)) {
      let from = at;
      while (from > this.offset && this.text[from - 1] === '\\') from -= 1;
      if ((at - from) % 2 === 0) return at;
    }
    return -1;
  }

  #escape(): string {
    const letter = this.text[this.offset + 1] ?? '';
    if (letter !== 'u') {
      const char = ESCAPES[letter];
      if (char === undefined) this.fail('a JSON escape');
      this.offset += 2;
      return char;
    }
    this.offset += 2;
    const digits = this.#match(HEX4) ?? this.fail('four hexadecimal digits');
    return String.fromCharCode(Number.parseInt(digits, 16));
  }
}

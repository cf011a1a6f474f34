import { DOCUMENT_MAX_BYTES } from '../documents/parts.ts';
import { INEXACT_NUMBER, MAX_NESTING, TOO_DEEP, TOO_LARGE, textComplaint } from '../storable.ts';
import { MAX_VIOLATIONS, pointer, type Violation } from '../violation.ts';
import { exactNumber } from './exact-number.ts';
import { JsonSyntaxError, Scanner } from './scanner.ts';

export interface StrictJsonOptions {
  /** Of the text as UTF-8; 1 MiB when absent. */
  maxBytes?: number;
  /** Levels of objects and arrays, the outermost being 1; 64 when absent. */
  maxDepth?: number;
}

export type StrictJson = { ok: true; value: unknown } | { ok: false; violations: Violation[]; tooLarge?: boolean };

const DUPLICATE = { rule: 'duplicate_key', message: 'must stand only once in its object' };

/** Ends the reading where going on would make no sense. */
class Stop extends Error {}

class Reader {
  readonly violations: Violation[] = [];
  readonly #scanner: Scanner;
  readonly #maxDepth: number;
  readonly #path: (string | number)[] = [];

  constructor(text: string, maxDepth: number) {
    this.#scanner = new Scanner(text);
    this.#maxDepth = maxDepth;
  }

  read(): unknown {
    try {
      const value = this.#value(1);
      if (this.#scanner.peek() !== '') this.#scanner.fail('the end of the text');
      return value;
    } catch (error) {
      if (error instanceof JsonSyntaxError) this.#complain('json_syntax', this.#whereAndWhat(error));
      else if (!(error instanceof Stop)) throw error;
      return undefined;
    }
  }

  #whereAndWhat({ offset, message }: JsonSyntaxError): string {
    const before = this.#scanner.text.slice(0, offset).split('\n');
    const column = (before.at(-1)?.length ?? 0) + 1;
    return `must be JSON: expected ${message} at line ${before.length}, column ${column}`;
  }

  #complain(rule: string, message: string): void {
    this.violations.push({ path: pointer(this.#path), rule, message });
    if (this.violations.length >= MAX_VIOLATIONS) throw new Stop();
  }

  #value(level: number): unknown {
    const scanner = this.#scanner;
    switch (scanner.peek()) {
      case '{':
        return this.#object(level);
      case '[':
        return this.#array(level);
      case '"':
        return this.#text();
      case 't':
        scanner.word('true');
        return true;
      case 'f':
        scanner.word('false');
        return false;
      case 'n':
        scanner.word('null');
        return null;
      case '':
        return scanner.fail('a JSON value');
      default:
        return this.#number();
    }
  }

  #number(): number {
    const number = exactNumber(this.#scanner.number());
    if (number === undefined) this.#complain(INEXACT_NUMBER.rule, INEXACT_NUMBER.message);
    return number ?? 0;
  }

  #text(): string {
    const text = this.#scanner.string();
    const complaint = textComplaint(text);
    if (complaint) this.#complain(complaint.rule, complaint.message);
    return text;
  }

  #enter(level: number): void {
    if (level <= this.#maxDepth) return;
    this.#complain(TOO_DEEP.rule, TOO_DEEP.message);
    throw new Stop();
  }

  #array(level: number): unknown[] {
    this.#enter(level);
    const items: unknown[] = [];
    this.#scanner.take('[');
    if (this.#scanner.take(']')) return items;
    do {
      this.#path.push(items.length);
      items.push(this.#value(level + 1));
      this.#path.pop();
    } while (this.#scanner.take(','));
    if (!this.#scanner.take(']')) this.#scanner.fail('a comma or ]');
    return items;
  }

  #object(level: number): Record<string, unknown> {
    this.#enter(level);
    const object: Record<string, unknown> = {};
    this.#scanner.take('{');
    if (this.#scanner.take('}')) return object;
    do {
      if (this.#scanner.peek() !== '"') this.#scanner.fail('a member name in double quotes');
      this.#member(object, level);
    } while (this.#scanner.take(','));
    if (!this.#scanner.take('}')) this.#scanner.fail('a comma or }');
    return object;
  }

  #member(object: Record<string, unknown>, level: number): void {
    const name = this.#scanner.string();
    this.#path.push(name);
    const complaint = textComplaint(name);
    if (complaint) this.#complain(complaint.rule, complaint.message);
    if (Object.hasOwn(object, name)) this.#complain(DUPLICATE.rule, DUPLICATE.message);
    if (!this.#scanner.take(':')) this.#scanner.fail('a colon');
    const value = this.#value(level + 1);
    // An assignment to `__proto__` would change the prototype instead of making a member.
    if (name === '__proto__') {
      Object.defineProperty(object, name, { value, enumerable: true, writable: true, configurable: true });
    } else object[name] = value;
    this.#path.pop();
  }
}

function decoded(text: string | Uint8Array): string | undefined {
  if (typeof text === 'string') return text.startsWith('\ufeff') ? text.slice(1) : text;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(text);
  } catch {
    return undefined;
  }
}

function isLarger(text: string | Uint8Array, maxBytes: number): boolean {
  if (text.length > maxBytes) return true;
  return typeof text === 'string' && 3 * text.length > maxBytes && new TextEncoder().encode(text).length > maxBytes;
}

/**
 * Reads JSON, refusing what could not be stored and read back exactly, with the place named: a key twice (compared after
 * unescaping), U+0000 and half surrogate pairs in values and keys, numbers a double does not give back, nesting over 64
 * levels, over 1 MiB, bytes that are no UTF-8. A leading byte order mark is ignored, -0 is 0, and a member named
 * `__proto__` is a member like any other. Takes time linear in the text.
 */
export function readStrictJson(text: string | Uint8Array, options: StrictJsonOptions = {}): StrictJson {
  const maxBytes = options.maxBytes ?? DOCUMENT_MAX_BYTES;
  if (isLarger(text, maxBytes)) {
    return {
      ok: false,
      violations: [{ path: '', rule: TOO_LARGE.rule, message: `must take at most ${maxBytes} bytes` }],
      tooLarge: true,
    };
  }
  const source = decoded(text);
  if (source === undefined)
    return { ok: false, violations: [{ path: '', rule: 'utf8', message: 'must be UTF-8 text' }] };
  const reader = new Reader(source, options.maxDepth ?? MAX_NESTING);
  const value = reader.read();
  return reader.violations.length > 0 ? { ok: false, violations: reader.violations } : { ok: true, value };
}

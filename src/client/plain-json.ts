import type { Violation } from '../contract/index.ts';
import { isStorableText } from './text.ts';

/** A value that JSON carries without loss. */
export type Json = null | boolean | number | string | Json[] | { [member: string]: Json };
export type JsonObject = { [member: string]: Json };

export type PlainJson = { ok: true; value: Json } | { ok: false; violations: Violation[] };

/** The ledger refuses nesting over 64 levels, the envelope itself being the first. */
const MAX_DEPTH = 64;
const MAX_VIOLATIONS = 20;

/**
 * A deep copy of `value` as JSON, or every place where JSON or the ledger would lose something.
 *
 * `JSON.stringify` turns NaN into null, a Map or an Error into `{}`, and drops functions without a word. What an agent
 * returned is evidence, so each of these is named instead. Undefined members are left out and `toJSON` is honoured
 * (dates, URLs). The copy also freezes what is sent: a later change of the returned object cannot make a retry a
 * different request.
 *
 * @param level nesting level of `value` itself inside the document that will be sent (1 = the document).
 */
export function toPlainJson(value: unknown, level = 1): PlainJson {
  const copier = new Copier();
  const copy = copier.copy(value, '', '', level);
  return copier.violations.length === 0 ? { ok: true, value: copy } : { ok: false, violations: copier.violations };
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

class Copier {
  readonly violations: Violation[] = [];
  readonly #open = new Set<object>();

  copy(value: unknown, key: string, path: string, level: number, converted = false): Json {
    if (value === null || typeof value === 'boolean') return value;
    if (typeof value === 'string') return this.#text(value, path);
    if (typeof value === 'number')
      return Number.isFinite(value) ? value : this.#refuse(path, `${value} is not a number in JSON`);
    if (typeof value !== 'object') return this.#refuse(path, `a value of type ${typeof value} has no JSON form`);
    if (level > MAX_DEPTH) return this.#refuse(path, `nested more than ${MAX_DEPTH} levels deep`, 'nesting');
    if (this.#open.has(value)) return this.#refuse(path, 'the value contains itself');
    this.#open.add(value);
    try {
      return this.#object(value, key, path, level, converted);
    } catch {
      return this.#refuse(path, 'reading it threw an error');
    } finally {
      this.#open.delete(value);
    }
  }

  #object(value: object, key: string, path: string, level: number, converted: boolean): Json {
    if (value instanceof Date && Number.isNaN(value.getTime())) return this.#refuse(path, 'the date is invalid');
    if (!converted && 'toJSON' in value && typeof value.toJSON === 'function') {
      const json: unknown = value.toJSON(key);
      // Once, as JSON.stringify does; a toJSON that gives the object itself is not a cycle.
      return json === value ? this.#object(value, key, path, level, true) : this.copy(json, key, path, level, true);
    }
    if (Array.isArray(value)) {
      return Array.from(value, (item, index) => this.copy(item, String(index), `${path}/${index}`, level + 1));
    }
    const kind = Object.prototype.toString.call(value).slice(8, -1);
    if (kind !== 'Object') return this.#refuse(path, `a value of kind ${kind} has no JSON form`);
    const copy: JsonObject = {};
    for (const [member, inner] of Object.entries(value)) {
      if (inner === undefined) continue;
      const at = `${path}/${member.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      this.#text(member, at);
      // Not an assignment: a member named __proto__ stays a member.
      Object.defineProperty(copy, member, {
        value: this.copy(inner, member, at, level + 1),
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    return copy;
  }

  #text(text: string, path: string): string {
    if (!isStorableText(text)) this.#refuse(path, 'the text holds NUL or half of a surrogate pair', 'storable_text');
    return text;
  }

  #refuse(path: string, message: string, rule = 'json'): null {
    if (this.violations.length < MAX_VIOLATIONS) this.violations.push({ path, rule, message });
    return null;
  }
}

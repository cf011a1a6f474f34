import type { CheckParseAnswer, Schema } from '@cedar-policy/cedar-wasm/nodejs';
import { type Cedar, guarded } from './engine.ts';
import { MAX_PREPARED_BYTES, MAX_PREPARED_SETS } from './limits.ts';

/** What Cedar is to keep parsed. */
export interface Parsable {
  readonly hash: string;
  readonly policies: string;
  readonly schema: Schema | null;
  /** Of both texts, in UTF-16 units: a measure of what Cedar needs for them. */
  readonly length: number;
}

interface Held<T> {
  readonly set: T;
  readonly slot: number;
}

/**
 * The sets that Cedar holds parsed, by their hash, the least recently used first. Cedar keeps what it parsed under a
 * name for ever, so names are few and used again: a set is dropped by parsing nothing under its name.
 */
export class ParsedSets<T extends Parsable> {
  readonly #held = new Map<string, Held<T>>();
  readonly #free = Array.from({ length: MAX_PREPARED_SETS }, (_, index) => MAX_PREPARED_SETS - 1 - index);
  /** The last of them; most questions are to one set. */
  #latest: Held<T> | undefined;
  #length = 0;
  #parsed = 0;

  /** Sets parsed since the process began. */
  get parsed(): number {
    return this.#parsed;
  }

  get size(): number {
    return this.#held.size;
  }

  get(hash: string): T | undefined {
    return this.#held.get(hash)?.set;
  }

  /**
   * The name that Cedar knows the set by; parses it when it is not held, and drops others when there is no room.
   *
   * @throws PolicyEngineError when the engine breaks down
   */
  nameOf(cedar: Cedar, set: T): string {
    if (this.#latest?.set.hash === set.hash) return nameOf(this.#latest.slot);
    const known = this.#held.get(set.hash);
    if (known) {
      this.#held.delete(set.hash);
      return nameOf(this.#keep(known).slot);
    }
    while (this.#free.length === 0 || (this.#held.size > 0 && this.#length + set.length > MAX_PREPARED_BYTES)) {
      this.#dropOldest(cedar);
    }
    const slot = this.#free.at(-1) ?? 0;
    parse(cedar, nameOf(slot), set.policies, set.schema);
    this.#free.pop();
    this.#parsed += 1;
    this.#length += set.length;
    return nameOf(this.#keep({ set, slot }).slot);
  }

  #keep(held: Held<T>): Held<T> {
    this.#held.set(held.set.hash, held);
    this.#latest = held;
    return held;
  }

  #dropOldest(cedar: Cedar): void {
    const [oldest] = this.#held.values();
    if (!oldest) return;
    this.#held.delete(oldest.set.hash);
    if (this.#latest === oldest) this.#latest = undefined;
    this.#free.push(oldest.slot);
    this.#length -= oldest.set.length;
    parse(cedar, nameOf(oldest.slot), '', '');
  }
}

const nameOf = (slot: number) => `set ${slot}`;

function parse(cedar: Cedar, name: string, policies: string, schema: Schema | null): void {
  guarded(() => {
    succeed(cedar.preparsePolicySet(name, { staticPolicies: policies }));
    if (schema !== null) succeed(cedar.preparseSchema(name, schema));
  });
}

function succeed(answer: CheckParseAnswer): void {
  if (answer.type === 'failure') throw new Error(answer.errors[0]?.message);
}

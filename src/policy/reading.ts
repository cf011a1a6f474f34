import type { EntityJson } from '@cedar-policy/cedar-wasm/nodejs';
import { pointer, type Violation } from '../contract/index.ts';
import type { SchemaTypes } from './schema-types.ts';

/**
 * The state of reading one request. Plain data, and one path for all of it: a request is read on every call, and Cedar
 * leaves nothing in the processor's caches, so that each object and each function counts.
 */
export interface Reading {
  readonly types: SchemaTypes | null;
  readonly violations: Violation[];
  /** Where the reader is, from the request's root. */
  readonly path: (string | number)[];
  /** The entities that were described. */
  readonly entities: EntityJson[];
  /** An upper bound of the bytes read so far, as JSON. */
  bytes: number;
}

export function newReading(types: SchemaTypes | null): Reading {
  return { types, violations: [], path: [], entities: [], bytes: 0 };
}

/** Says what is wrong at this place, or at a member of it. */
export function complain(reading: Reading, rule: string, message: string, member?: string | number): false {
  const path = member === undefined ? reading.path : [...reading.path, member];
  reading.violations.push({ path: pointer(path), rule, message });
  return false;
}

/** What a text takes as JSON at most: quotes, comma and colon, and six bytes for each UTF-16 unit (`\\u0000`). */
export function countText(reading: Reading, text: string): void {
  reading.bytes += 6 * text.length + 4;
}

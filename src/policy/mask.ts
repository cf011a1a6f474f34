import { pointer, type Violation } from '../contract/index.ts';
import { isPlainObject } from '../contract/scalars/kind.ts';
import { textComplaint } from '../contract/storable.ts';
import { MAX_MASKS } from './limits.ts';
import type { EvaluationError } from './verdict.ts';

/** What stands in place of a masked value. */
export const MASKED = '[masked]';
const WITHHELD = 'withheld: it may quote a masked value';

/** What is wrong with a list of masks; `path` points into the list. */
export function maskFaults(masks: unknown): Violation[] {
  if (!Array.isArray(masks) || masks.length > MAX_MASKS) {
    return [{ path: '', rule: 'array', message: `must be an array of at most ${MAX_MASKS} masks` }];
  }
  return masks.flatMap((mask: unknown, index) =>
    isMask(mask)
      ? []
      : [
          {
            path: `/${index}`,
            rule: 'mask',
            message: 'must be a JSON Pointer to a member, such as /context/email, or the name of one',
          },
        ],
  );
}

function isMask(mask: unknown): mask is string {
  if (typeof mask !== 'string' || mask === '' || mask.length > 1_000 || textComplaint(mask)) return false;
  return !mask.startsWith('/') || !/~(?![01])/.test(mask);
}

/**
 * The input of an evaluation as it may be kept: what a mask names is replaced by `[masked]`, whatever its type, null
 * included. A mask is a JSON Pointer from the input's root (an index names an item of an array), or, without a leading
 * slash, the name of a member wherever it stands. The input itself is left as it is.
 */
export function maskInput(input: unknown, masks: readonly string[]): unknown {
  return walk(input, [], masksOf(masks), () => MASKED);
}

/** The errors of an evaluation as they may be kept: a message that may quote a masked value is withheld. */
export function maskErrors(
  errors: readonly EvaluationError[],
  input: unknown,
  masks: readonly string[],
): EvaluationError[] {
  const secrets: string[] = [];
  walk(input, [], masksOf(masks), (value) => {
    secrets.push(...leaves(value));
    return MASKED;
  });
  const words = secrets.flatMap(wordsOf);
  return errors.map((error) => {
    const quotes = words.some((word) => error.message.includes(word));
    return quotes ? { ...error, message: WITHHELD } : error;
  });
}

interface Masks {
  readonly pointers: ReadonlySet<string>;
  readonly names: ReadonlySet<string>;
}

function masksOf(masks: readonly string[]): Masks {
  return {
    pointers: new Set(masks.filter((mask) => mask.startsWith('/'))),
    names: new Set(masks.filter((mask) => !mask.startsWith('/'))),
  };
}

function walk(value: unknown, path: (string | number)[], masks: Masks, masked: (value: unknown) => unknown): unknown {
  const step = (segment: string | number, member: unknown): unknown => {
    const inside = [...path, segment];
    const named = typeof segment === 'string' && masks.names.has(segment);
    return named || masks.pointers.has(pointer(inside)) ? masked(member) : walk(member, inside, masks, masked);
  };
  if (Array.isArray(value)) return value.map((item, index) => step(index, item));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, step(name, member)]));
}

function leaves(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) => [
    ...(Array.isArray(value) ? [] : [name]),
    ...leaves(member),
  ]);
}

/** Cedar escapes what it quotes in ways of its own, so the words of a value are looked for, not the value. */
function wordsOf(secret: string): string[] {
  const words = secret.match(/[\p{L}\p{N}]+/gu) ?? [];
  const long = words.filter((word) => word.length >= 3);
  if (long.length > 0) return long;
  return words.length > 0 ? words : secret === '' ? [] : [secret];
}

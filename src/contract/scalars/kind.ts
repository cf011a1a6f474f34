import * as z from 'zod';

/**
 * What one named scalar kind accepts, as data: `kindHolds` reads it in TypeScript, the generator compiles it to SQL.
 * `rule` is the stable word of a violation, `expected` the end of the sentence "must be …".
 */
export interface Kind {
  readonly rule: string;
  readonly base: 'string' | 'number' | 'integer' | 'boolean' | 'object' | 'any';
  readonly expected: string;
  /** Regular expression source both engines read alike: ASCII, anchored by hand. */
  readonly pattern?: string;
  /** The pattern matches no JSON text of a number, boolean, array or object: SQL needs no second test of the type. */
  readonly selfTyped?: boolean;
  readonly notEmpty?: boolean;
  readonly maxCodePoints?: number;
  readonly words?: readonly string[];
  readonly min?: number;
  readonly max?: number;
  /** Two whole numbers stand around this separator, the first at most the second. */
  readonly orderedAround?: string;
}

/** The generator and the checker recognise a scalar by its entry here; a schema without one cannot stand in a document. */
export const scalarKinds = z.registry<Kind>();

function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}

function stringHolds(kind: Kind, value: string): boolean {
  // The length goes first, so that no pattern ever reads a huge text.
  if (kind.maxCodePoints !== undefined) {
    if (value.length > 2 * kind.maxCodePoints || codePoints(value) > kind.maxCodePoints) return false;
  }
  if (kind.notEmpty && value === '') return false;
  if (kind.words) return kind.words.includes(value);
  if (kind.pattern !== undefined && !new RegExp(kind.pattern).test(value)) return false;
  if (kind.orderedAround !== undefined) {
    const [low, high] = value.split(kind.orderedAround).map(Number);
    return low !== undefined && high !== undefined && low <= high;
  }
  return true;
}

export function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function kindHolds(kind: Kind, value: unknown): boolean {
  switch (kind.base) {
    case 'any':
      return true;
    case 'object':
      return isPlainObject(value);
    case 'boolean':
      return typeof value === 'boolean';
    case 'string':
      return typeof value === 'string' && stringHolds(kind, value);
    default:
      return (
        typeof value === 'number' &&
        Number.isFinite(value) &&
        (kind.base === 'number' || Number.isInteger(value)) &&
        value >= (kind.min ?? -Infinity) &&
        value <= (kind.max ?? Infinity)
      );
  }
}

type TextKind = Kind & { readonly base: 'string' };
type NumberKind = Kind & { readonly base: 'number' | 'integer' };

function described<S extends z.ZodType>(schema: S, kind: Kind): S {
  const registered = schema.meta({ description: kind.expected }) as S;
  scalarKinds.add(registered, kind as never);
  return registered;
}

export function text(kind: Omit<TextKind, 'base'>): z.ZodString {
  const whole: TextKind = { ...kind, base: 'string' };
  return described(
    z.string().refine((value) => kindHolds(whole, value)),
    whole,
  );
}

export function word<const W extends readonly string[]>(rule: string, words: W): z.ZodEnum<{ [K in W[number]]: K }> {
  return described(z.enum(words), { rule, base: 'string', expected: `one of ${words.join(', ')}`, words }) as never;
}

export function number(kind: NumberKind): z.ZodNumber {
  return described(
    z.number().refine((value) => kindHolds(kind, value)),
    kind,
  );
}

import { isPlainObject } from './scalars/kind.ts';
import type { ObjectShape, Shape } from './shape.ts';

/** The stored form of a document's type: nothing is optional, what may be absent may be null instead. */
export type Normalised<T> = T extends readonly (infer I)[]
  ? Normalised<I>[]
  : T extends object
    ? { [K in keyof T]-?: K extends 'errors' ? NonNullable<Normalised<T[K]>> : Normalised<Exclude<T[K], undefined>> }
    : T;

/** Only a list of objects has an empty stored form; any other absent member is null. */
function absentForm(shape: Shape): null | [] {
  return shape.type === 'list' && shape.item.type === 'object' ? [] : null;
}

function normalisedObject(shape: ObjectShape, value: Record<string, unknown>): Record<string, unknown> {
  const stored: Record<string, unknown> = {};
  for (const [name, { shape: member, optional }] of shape.members) {
    const sent = Object.hasOwn(value, name) ? (value[name] ?? null) : null;
    if (sent !== null) stored[name] = normalised(member, sent);
    else if (optional) stored[name] = absentForm(member);
    else stored[name] = null;
  }
  return stored;
}

/** The stored form of a value that has this shape; a scalar, and a free object, is itself. */
export function normalised(shape: Shape, value: unknown): unknown {
  if (shape.type === 'list' && Array.isArray(value)) return value.map((item) => normalised(shape.item, item));
  if (shape.type === 'object' && isPlainObject(value)) return normalisedObject(shape, value);
  return Object.is(value, -0) ? 0 : value;
}

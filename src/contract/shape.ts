import * as z from 'zod';
import { type Kind, scalarKinds } from './scalars/kind.ts';

/** A document's shape, read off its zod schema: what both checkers, the normaliser and the SQL generator walk. */
export type Shape = ObjectShape | ListShape | ScalarShape;
export interface ScalarShape {
  readonly type: 'scalar';
  readonly kind: Kind;
}
export interface ListShape {
  readonly type: 'list';
  readonly item: Shape;
}
export interface ObjectShape {
  readonly type: 'object';
  readonly members: ReadonlyMap<string, Member>;
}
export interface Member {
  readonly shape: Shape;
  readonly optional: boolean;
}

function unwrapped(schema: z.ZodType): { inner: z.ZodType; optional: boolean } {
  let inner = schema;
  let optional = false;
  while (inner instanceof z.ZodOptional || inner instanceof z.ZodNullable) {
    inner = inner.unwrap() as z.ZodType;
    optional = true;
  }
  return { inner, optional };
}

export function shapeOf(schema: z.ZodType): Shape {
  const { inner } = unwrapped(schema);
  const kind = scalarKinds.get(inner);
  if (kind) return { type: 'scalar', kind };
  if (inner instanceof z.ZodArray) return { type: 'list', item: shapeOf(inner.element as z.ZodType) };
  if (!(inner instanceof z.ZodObject)) throw new Error(`no scalar kind is registered for a ${inner.def.type} schema`);
  const members = new Map<string, Member>();
  for (const [name, member] of Object.entries(inner.shape)) {
    const schemaOfMember = member as z.ZodType;
    members.set(name, { shape: shapeOf(schemaOfMember), optional: unwrapped(schemaOfMember).optional });
  }
  return { type: 'object', members };
}

/** What a violation at this place is called, and what was expected there. */
export function complaint(shape: Shape): { rule: string; expected: string } {
  if (shape.type === 'scalar') return shape.kind;
  return shape.type === 'list'
    ? { rule: 'array', expected: 'an array' }
    : { rule: 'object', expected: 'a JSON object' };
}

export const mustBe = (shape: Shape): string => `must be ${complaint(shape).expected}`;
export const isRequired = (shape: Shape): string => `is required and must be ${complaint(shape).expected}`;
export const NOT_A_MEMBER = 'is not a member of this object';

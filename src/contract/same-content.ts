import { documentShape } from './check.ts';
import { isPlainObject } from './scalars/kind.ts';
import type { ObjectShape, Shape } from './shape.ts';

const present = (object: Record<string, unknown>) =>
  Object.keys(object).filter((name) => object[name] !== undefined && Object.hasOwn(object, name));

/** Equal as JSON: order of members and the sign of zero aside, an undefined member absent. */
function equalJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
    return a.every((item, index) => equalJson(item, b[index]));
  }
  if (!isPlainObject(a) || !isPlainObject(b)) return false;
  const names = present(a);
  if (names.length !== present(b).length) return false;
  return names.every((name) => Object.hasOwn(b, name) && b[name] !== undefined && equalJson(a[name], b[name]));
}

const own = (object: Record<string, unknown>, name: string) => (Object.hasOwn(object, name) ? object[name] : undefined);

function equalObjects(
  shape: ObjectShape,
  a: Record<string, unknown>,
  b: Record<string, unknown>,
  left: string,
): boolean {
  for (const [name, member] of shape.members) {
    if (name !== left && !equalShaped(member.shape, own(a, name), own(b, name))) return false;
  }
  const strangers = new Set([...present(a), ...present(b)].filter((name) => !shape.members.has(name)));
  return [...strangers].every((name) => equalJson(own(a, name), own(b, name)));
}

/** Equal as members of a document: absent is null, and null is the empty list where the list is one of objects. */
function equalShaped(shape: Shape, a: unknown, b: unknown): boolean {
  if (shape.type === 'object' && isPlainObject(a) && isPlainObject(b)) return equalObjects(shape, a, b, '');
  if (shape.type === 'list' && shape.item.type === 'object') {
    const [one, other] = [a ?? [], b ?? []];
    if (!Array.isArray(one) || !Array.isArray(other)) return equalJson(one, other);
    return one.length === other.length && one.every((item, index) => equalShaped(shape.item, item, other[index]));
  }
  return equalJson(a ?? null, b ?? null);
}

/**
 * Do two envelopes say the same, so that the second is a replay? Order of members, spelling of numbers and `outcome_id`
 * aside; an absent optional member is null, absent errors are an empty list.
 */
export function sameContent(a: unknown, b: unknown): boolean {
  const shape = documentShape('envelope');
  if (shape.type === 'object' && isPlainObject(a) && isPlainObject(b)) return equalObjects(shape, a, b, 'outcome_id');
  return equalJson(a, b);
}

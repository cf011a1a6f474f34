import { QueryRefused } from '../fault.ts';

/** What a value from JSON is to the library, which types every list and map; null where nothing tells. */
type Shape = 'text' | 'number' | 'true or false' | { list: Shape | null } | { map: Record<string, Shape | null> };

/**
 * Refuses values that the library would change or fail over: of a list with numbers and texts it makes texts, of maps with other
 * members it drops some, and what has no type at all (a list of nulls) it does not take.
 *
 * @param value of the parameter `$name`; null and an empty list are for the caller
 * @throws QueryRefused `query_invalid` with the place of the value, what was expected and what to do
 */
export function refuseShapeless(name: string, value: unknown): void {
  const shape = shapeOf(`$${name}`, value);
  if (shape !== null) refuseUnknown(`$${name}`, shape);
}

function shapeOf(path: string, value: unknown): Shape | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'true or false';
  if (typeof value !== 'object') return 'text';
  if (Array.isArray(value)) {
    let list: Shape | null = null;
    for (const [n, element] of value.entries()) list = joined(`${path}[${n}]`, list, shapeOf(`${path}[${n}]`, element));
    return { list };
  }
  return { map: Object.fromEntries(Object.entries(value).map(([key, of]) => [key, shapeOf(`${path}.${key}`, of)])) };
}

/** What elements of one list have in common; the second is at `path`. */
function joined(path: string, one: Shape | null, other: Shape | null): Shape | null {
  if (one === null || other === null) return one ?? other;
  if (typeof one === 'object' && typeof other === 'object') {
    if ('list' in one && 'list' in other) return { list: joined(path, one.list, other.list) };
    if ('map' in one && 'map' in other) return { map: joinedMaps(path, one.map, other.map) };
  }
  if (one === other) return one;
  return refuse(
    path,
    `is ${called(other)} in a list that begins with ${called(one)}`,
    'give a list of one kind, e.g. of texts',
  );
}

function joinedMaps(path: string, one: Record<string, Shape | null>, other: Record<string, Shape | null>) {
  const names = Object.keys(one);
  const [lacks] = names.filter((name) => !Object.hasOwn(other, name));
  const [more] = Object.keys(other).filter((name) => !Object.hasOwn(one, name));
  if (lacks ?? more) {
    refuse(
      path,
      `has other members than the maps before it (${lacks ?? more})`,
      'give maps of a list the same members',
    );
  }
  return Object.fromEntries(
    names.map((name) => [name, joined(`${path}.${name}`, one[name] ?? null, other[name] ?? null)]),
  );
}

function refuseUnknown(path: string, shape: Shape): void {
  if (typeof shape === 'string') return;
  if ('list' in shape) {
    if (shape.list === null) refuse(path, 'has no element that is not null', 'give one, or leave the list out');
    refuseUnknown(`${path}[…]`, shape.list);
    return;
  }
  const members = Object.entries(shape.map);
  if (members.length === 0) refuse(path, 'is a map without members', 'give it one, or give null');
  for (const [name, of] of members) {
    if (of === null) refuse(`${path}.${name}`, 'is null in a map', 'leave that member out');
    else refuseUnknown(`${path}.${name}`, of);
  }
}

function called(shape: Shape): string {
  if (typeof shape === 'string') return shape === 'true or false' ? shape : `a ${shape}`;
  return 'list' in shape ? 'a list' : 'a map';
}

function refuse(path: string, what: string, remedy: string): never {
  throw new QueryRefused('query_invalid', `${path} ${what}, and the embedded graph needs one type for each: ${remedy}`);
}

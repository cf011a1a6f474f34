import { isPlainObject } from '../contract/scalars/kind.ts';
import { MAX_DECLARATIONS } from './limits.ts';

const objects = (value: unknown): [string, Record<string, unknown>][] =>
  isPlainObject(value)
    ? Object.entries(value).filter((entry): entry is [string, Record<string, unknown>] => isPlainObject(entry[1]))
    : [];
const items = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);

/** How much a schema in Cedar's JSON form declares. */
export interface SchemaSize {
  declarations: number;
  /** The longest chain of parents; 0 where there are too many declarations to look. */
  levels: number;
  /** Combinations of action, principal type and resource type. */
  requestKinds: number;
}

export function sizeOf(json: Record<string, unknown>): SchemaSize {
  const parents = new Map<string, readonly string[]>();
  let declarations = 0;
  let requestKinds = 0;
  for (const [namespace, { entityTypes, actions, commonTypes }] of objects(json)) {
    declarations += objects(entityTypes).length + objects(actions).length + objects(commonTypes).length;
    for (const [name, { memberOfTypes }] of objects(entityTypes)) {
      parents.set(
        qualified(namespace, name),
        items(memberOfTypes).map((type) => qualified(namespace, String(type))),
      );
    }
    const ownType = qualified(namespace, 'Action');
    for (const [name, { memberOf, appliesTo }] of objects(actions)) {
      const groups = items(memberOf).filter(isPlainObject);
      parents.set(
        `${ownType} ${name}`,
        groups.map(({ type, id }) => `${type ?? ownType} ${id}`),
      );
      const { principalTypes, resourceTypes } = isPlainObject(appliesTo) ? appliesTo : {};
      requestKinds += items(principalTypes).length * items(resourceTypes).length;
    }
  }
  return { declarations, levels: declarations > MAX_DECLARATIONS ? 0 : longestChain(parents), requestKinds };
}

function qualified(namespace: string, name: string): string {
  return namespace === '' || name.includes('::') ? name : `${namespace}::${name}`;
}

/** Of a graph that may have cycles, which end a chain. Recursion goes as deep as there are declarations. */
function longestChain(parents: ReadonlyMap<string, readonly string[]>): number {
  const lengths = new Map<string, number>();
  const lengthOf = (node: string): number => {
    const known = lengths.get(node);
    if (known !== undefined) return known;
    lengths.set(node, 0);
    let longest = 0;
    for (const parent of parents.get(node) ?? []) longest = Math.max(longest, lengthOf(parent));
    lengths.set(node, longest + 1);
    return longest + 1;
  };
  let longest = 0;
  for (const node of parents.keys()) longest = Math.max(longest, lengthOf(node));
  return longest;
}

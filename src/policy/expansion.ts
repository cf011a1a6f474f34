import { isPlainObject } from '../contract/scalars/kind.ts';

/**
 * How large the types of a schema in Cedar's JSON form are once every common type stands where it is named, which is how
 * Cedar holds them: two members of a type that has two members of a type … double each time. Counting stops past `limit`.
 */
export function expandedSize(json: Record<string, unknown>, limit: number): number {
  const common = new Map<string, unknown>();
  for (const [namespace, about] of Object.entries(json)) {
    for (const [name, type] of membersOf(about, 'commonTypes')) {
      common.set(name, type);
      if (namespace !== '') common.set(`${namespace}::${name}`, type);
    }
  }
  const sizes = new Map<string, number>();
  const sizeOfName = (name: string): number => {
    const known = sizes.get(name);
    if (known !== undefined) return known;
    // A cycle counts once; Cedar refuses it.
    sizes.set(name, 1);
    const size = common.has(name) ? sizeOf(common.get(name)) : 1;
    sizes.set(name, size);
    return size;
  };
  const sizeOf = (type: unknown): number => {
    if (!isPlainObject(type)) return 1;
    const word = String(type['type'] ?? '');
    if (word === 'Record') {
      let size = 1;
      for (const member of Object.values(isPlainObject(type['attributes']) ? type['attributes'] : {})) {
        size = Math.min(limit + 1, size + sizeOf(member));
      }
      return size;
    }
    if (word === 'Set') return 1 + sizeOf(type['element']);
    return sizeOfName(word === 'EntityOrCommon' ? String(type['name']) : word);
  };
  let total = 0;
  const add = (type: unknown) => {
    total = Math.min(limit + 1, total + sizeOf(type));
  };
  for (const about of Object.values(json)) {
    for (const [, type] of membersOf(about, 'commonTypes')) add(type);
    for (const [, { shape }] of membersOf(about, 'entityTypes')) add(shape);
    for (const [, { appliesTo }] of membersOf(about, 'actions'))
      if (isPlainObject(appliesTo)) add(appliesTo['context']);
  }
  return total;
}

function membersOf(about: unknown, member: string): [string, Record<string, unknown>][] {
  const members = isPlainObject(about) ? about[member] : undefined;
  if (!isPlainObject(members)) return [];
  return Object.entries(members).filter((entry): entry is [string, Record<string, unknown>] => isPlainObject(entry[1]));
}

/** The same of a text, by its `type` declarations alone: Cedar's own reading of it writes them out already. */
export function expandedTextSize(tokens: readonly { text: string }[], limit: number): number {
  const bodies = new Map<string, string[]>();
  for (let at = 0; at < tokens.length; at += 1) {
    if (tokens[at]?.text !== 'type' || tokens[at + 2]?.text !== '=') continue;
    const body: string[] = [];
    for (let n = at + 3; n < tokens.length && tokens[n]?.text !== ';'; n += 1) body.push(tokens[n]?.text ?? '');
    bodies.set(tokens[at + 1]?.text ?? '', body);
  }
  const sizes = new Map<string, number>();
  const sizeOf = (name: string): number => {
    const known = sizes.get(name);
    if (known !== undefined) return known;
    sizes.set(name, 1);
    let size = 1;
    for (const word of bodies.get(name) ?? []) size = Math.min(limit + 1, size + (bodies.has(word) ? sizeOf(word) : 1));
    sizes.set(name, size);
    return size;
  };
  return [...bodies.keys()].reduce((sum, name) => Math.min(limit + 1, sum + sizeOf(name)), 0);
}

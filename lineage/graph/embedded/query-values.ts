/** Makes plain JSON of what the library gives: nodes and relationships as their properties, without what is null. */
export function plainValue(value: unknown, type: string): unknown {
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value === 'number') return type.startsWith('INTERVAL') ? `PT${value / 1000}S` : finite(value);
  if (value instanceof Date) return type.startsWith('DATE') ? value.toISOString().slice(0, 10) : value.toISOString();
  if (typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((element) => plainValue(element, type));
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  return plainObject(value as Record<string, unknown>, type);
}

function plainObject(value: Record<string, unknown>, type: string): unknown {
  const { _label: label, _id, _src: from, _dst, _nodes: nodes, _rels: rels, ...properties } = value;
  if (Array.isArray(nodes) && Array.isArray(rels))
    return { nodes: plainValue(nodes, type), relationships: plainValue(rels, type) };
  const isElement = typeof label === 'string' && typeof _id === 'object';
  const entries = Object.entries(isElement ? properties : value)
    .filter(([, property]) => !isElement || (property !== null && property !== undefined))
    .map(([name, property]) => [name, plainValue(property, isElement ? '' : type)]);
  const plain = Object.fromEntries(entries);
  if (!isElement) return plain;
  return from === undefined ? { labels: [label], ...plain } : { type: label, ...plain };
}

/** JSON has no infinity: it comes as text, as Postgres and Neo4j print it. */
const finite = (value: number) => (Number.isFinite(value) ? value : String(value));

/** Holds a value integers that reached JavaScript rounded? */
export function isRounded(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) && !Number.isSafeInteger(value);
  return Array.isArray(value) && value.some(isRounded);
}

/** The library's text of a timestamp as RFC 3339 in UTC with microseconds. */
export function timeOfText(text: unknown): unknown {
  const match =
    typeof text === 'string' ? /^(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d+))?(?:\+00(?::00)?)?$/.exec(text) : null;
  return match ? `${match[1]}T${match[2]}.${(match[3] ?? '').padEnd(6, '0')}Z` : text;
}

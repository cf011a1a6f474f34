import type { Neo4jApi } from './driver.ts';
import { partialTimeText, timeText } from './times.ts';

/** What the driver gives, as plain JSON: see `QueryResult`. */
export function plainJson(neo4j: Neo4jApi, value: unknown): unknown {
  const plain = (part: unknown) => plainJson(neo4j, part);
  const properties = (of: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(of).map(([name, part]) => [name, plain(part)]));

  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return integer(value);
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value);
  if (typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(plain);
  if (neo4j.isNode(value)) return { labels: value.labels, ...properties(value.properties) };
  if (neo4j.isRelationship(value) || neo4j.isUnboundRelationship(value)) {
    return { type: value.type, ...properties(value.properties) };
  }
  if (neo4j.isPath(value)) {
    const { start, segments } = value;
    return {
      nodes: [start, ...segments.map((segment) => segment.end)].map(plain),
      relationships: segments.map((segment) => plain(segment.relationship)),
    };
  }
  if (neo4j.isPoint(value)) return properties({ srid: value.srid, x: value.x, y: value.y, z: value.z ?? null });
  // A duration has no year and no hour; the driver writes it as ISO 8601 does.
  if (neo4j.isDuration(value)) return value.toString();
  if (value instanceof Int8Array || value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  return timeText(value) ?? partialTimeText(value) ?? properties(value as Record<string, unknown>);
}

function integer(value: bigint): number | string {
  const safe = value >= BigInt(Number.MIN_SAFE_INTEGER) && value <= BigInt(Number.MAX_SAFE_INTEGER);
  return safe ? Number(value) : value.toString();
}

/** Plain JSON as the driver sends it: whole numbers as integers, for it would send every number as a float. */
export function driverValue(value: unknown): unknown {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  if (Array.isArray(value)) return value.map(driverValue);
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, driverValue(part)]));
  }
  return value;
}

/** The words in which the records' JSON Schemas are written. */
export type Json = Record<string, unknown>;

export const text: Json = { type: 'string' };
export const id: Json = { type: 'string', format: 'uuid' };
export const time: Json = { type: 'string', format: 'date-time' };
export const integer: Json = { type: 'integer' };
export const flag: Json = { type: 'boolean' };
export const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });
export const list = (items: Json): Json => ({ type: 'array', items });
export const word = (words: readonly string[]): Json => ({ type: 'string', enum: [...words] });

export const orNull = (schema: Json): Json =>
  typeof schema['type'] === 'string'
    ? {
        ...schema,
        type: [schema['type'], 'null'],
        ...(Array.isArray(schema['enum']) ? { enum: [...new Set([...schema['enum'], null])] } : {}),
      }
    : { oneOf: [schema, { type: 'null' }] };

/** An object whose members are all there, null where nothing is. */
export function record(description: string, properties: Json, optional: string[] = []): Json {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', description, required, properties };
}

/** A document as it was recorded: its members, and what the ledger adds. */
export function recorded(document: unknown, description: string, added: Json = {}): Json {
  const { additionalProperties: _, ...open } = document as Json;
  return { ...open, description, properties: { ...(open['properties'] as Json), ...added } };
}

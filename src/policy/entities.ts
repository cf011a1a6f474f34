import type { EntityJson } from '@cedar-policy/cedar-wasm/nodejs';
import { isPlainObject } from '../contract/scalars/kind.ts';
import { isTypeName } from './escapes.ts';
import { ENTITY_ID_MAX, MAX_ENTITIES, MAX_PARENTS } from './limits.ts';
import { type EntityReference, isPrincipalType, PRINCIPAL_ATTRIBUTES } from './model.ts';
import { complain, countText, type Reading } from './reading.ts';
import type { Hint } from './schema-types.ts';
import { readRecord } from './values.ts';

const MEMBERS = ['type', 'id', 'attributes', 'parents', 'tags'];
const REFERENCE = ['type', 'id'];
/** The most that an entity's brackets and member names take as JSON. */
const FRAME_BYTES = 80;
/** Stands in place of an entity that cannot be read; the request is refused anyway. */
const NOBODY: EntityReference = { type: 'Unreadable', id: '' };

/** What the ledger knows of a principal and the schema does not declare is left out: no policy can ask for it. */
export function readPrincipal(reading: Reading, value: unknown): EntityReference {
  const uid = readEntity(reading, value, true);
  if (uid !== NOBODY && !isPrincipalType(uid.type)) {
    complain(reading, 'principal_type', 'must be Agent or Workflow', 'type');
  }
  return uid;
}

/** The entity at this place; each may be described once, and named as often as need be. */
export function readEntity(reading: Reading, value: unknown, isPrincipal = false): EntityReference {
  const uid = readReference(reading, value, MEMBERS);
  if (!uid || !isPlainObject(value)) return NOBODY;
  const attributes = objectAt(reading, value, 'attributes');
  const tags = objectAt(reading, value, 'tags');
  const parents = readParents(reading, value['parents']);
  if (!attributes && !tags && parents.length === 0) return uid;

  if (reading.entities.some((other) => isSame(other, uid))) {
    complain(reading, 'entity_duplicate', 'must be described once: attributes, parents and tags together');
    return uid;
  }
  const shape = reading.types?.attributesOf(uid.type);
  const known = isPrincipal && reading.types && attributes ? declared(attributes, shape) : attributes;
  const entity: EntityJson = { uid, attrs: known ? recordAt(reading, 'attributes', known, shape) : {}, parents };
  if (tags) entity.tags = recordAt(reading, 'tags', tags, tagHints(reading, uid.type, tags));
  reading.entities.push(entity);
  return uid;
}

export function readEntities(reading: Reading, list: unknown): void {
  if (!Array.isArray(list)) {
    complain(reading, 'array', 'must be an array');
    return;
  }
  if (list.length > MAX_ENTITIES) {
    complain(reading, 'too_many', `must have at most ${MAX_ENTITIES} entities`);
    return;
  }
  for (const [index, value] of list.entries()) {
    reading.path.push(index);
    readEntity(reading, value);
    reading.path.pop();
  }
}

function isSame({ uid }: EntityJson, { type, id }: EntityReference): boolean {
  return 'id' in uid && uid.id === id && uid.type === type;
}

function readReference(reading: Reading, value: unknown, members: readonly string[]): EntityReference | undefined {
  if (!isPlainObject(value)) {
    complain(reading, 'object', 'must be a JSON object with type and id');
    return undefined;
  }
  let good = true;
  for (const name of Object.keys(value)) {
    if (value[name] === undefined || members.includes(name)) continue;
    good = complain(reading, 'unknown_member', 'is not a member of an entity', name);
  }
  const { type, id } = value;
  if (!isTypeName(type)) {
    good = complain(reading, 'entity_type', 'must be the name of an entity type, such as Doc or Art::Edition', 'type');
  }
  if (!isEntityId(id)) {
    good = complain(reading, 'entity_id', `must be a string of 1 to ${ENTITY_ID_MAX} characters`, 'id');
  }
  if (!good || typeof type !== 'string' || typeof id !== 'string') return undefined;
  countText(reading, type);
  countText(reading, id);
  reading.bytes += FRAME_BYTES;
  return { type, id };
}

function isEntityId(id: unknown): boolean {
  if (typeof id !== 'string' || id === '') return false;
  return id.length <= ENTITY_ID_MAX || (id.length <= 2 * ENTITY_ID_MAX && [...id].length <= ENTITY_ID_MAX);
}

function objectAt(
  reading: Reading,
  entity: Record<string, unknown>,
  name: string,
): Record<string, unknown> | undefined {
  const value = entity[name];
  if (value === undefined || value === null) return undefined;
  if (isPlainObject(value)) return value;
  complain(reading, 'object', 'must be a JSON object', name);
  return undefined;
}

function recordAt(reading: Reading, name: string, value: Record<string, unknown>, hint: Hint | undefined) {
  reading.path.push(name);
  const record = readRecord(reading, value, hint);
  reading.path.pop();
  return record;
}

function readParents(reading: Reading, value: unknown): EntityReference[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value) || value.length > MAX_PARENTS) {
    const message = `must be an array of at most ${MAX_PARENTS} entities, each with type and id`;
    complain(reading, 'array', message, 'parents');
    return [];
  }
  return value.flatMap((parent, index) => {
    reading.path.push('parents', index);
    const uid = readReference(reading, parent, REFERENCE);
    reading.path.length -= 2;
    return uid ?? [];
  });
}

/** All tags of an entity have one type. */
function tagHints(reading: Reading, type: string, tags: Record<string, unknown>): Hint | undefined {
  const hint = reading.types?.tagsOf(type);
  if (!hint) return undefined;
  return { kind: 'record', members: new Map(Object.keys(tags).map((name) => [name, hint])), required: [] };
}

/** Without what the ledger alone adds and the shape does not have. */
function declared(attributes: Record<string, unknown>, shape: Hint | undefined): Record<string, unknown> {
  const members = shape?.kind === 'record' ? shape.members : undefined;
  const strangers = PRINCIPAL_ATTRIBUTES.filter((name) => Object.hasOwn(attributes, name) && !members?.has(name));
  if (strangers.length === 0) return attributes;
  const rest = { ...attributes };
  for (const name of strangers) delete rest[name];
  return rest;
}

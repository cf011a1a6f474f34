import type { CedarValueJson, EntityJson } from '@cedar-policy/cedar-wasm/nodejs';
import { MAX_VIOLATIONS, type Violation } from '../contract/index.ts';
import { isPlainObject } from '../contract/scalars/kind.ts';
import { unstorable } from '../contract/storable.ts';
import { readEntities, readEntity, readPrincipal } from './entities.ts';
import { PolicyRequestInvalid } from './errors.ts';
import { ENTITY_ID_MAX, REQUEST_MAX_BYTES } from './limits.ts';
import { ACTION_TYPE, type EntityInput, type EntityReference } from './model.ts';
import { complain, countText, newReading, type Reading } from './reading.ts';
import type { SchemaTypes } from './schema-types.ts';
import { readContext, scoreOf } from './values.ts';

/** What is asked: may this principal do this action to this resource, in this context? Plain JSON throughout. */
export interface PolicyRequest {
  /** An `Agent` or a `Workflow`; `principalOf` makes one. */
  principal: EntityInput;
  /** The id of the action: `start` is `Action::"start"`. */
  action: string;
  resource: EntityInput;
  context?: Record<string, unknown> | null;
  /** What else the policies look at: groups, owners. */
  entities?: readonly EntityInput[] | null;
}

/** A request as Cedar takes it. */
export interface CedarRequest {
  principal: EntityReference;
  action: EntityReference;
  resource: EntityReference;
  context: Record<string, CedarValueJson>;
  entities: EntityJson[];
}

const MEMBERS = ['principal', 'action', 'resource', 'context', 'entities'];

/**
 * Reads a request for a set with these types; `riskScore` is that of its context, 0 to 1, null when it has none.
 *
 * @throws PolicyRequestInvalid naming the place of each fault
 */
export function readRequest(
  request: unknown,
  types: SchemaTypes | null,
): { request: CedarRequest; riskScore: number | null } {
  refuse(unstorable(request));
  if (!isPlainObject(request)) throw refusal('object', 'must be a JSON object');
  const reading = newReading(types);
  for (const name of Object.keys(request)) {
    if (request[name] === undefined || MEMBERS.includes(name)) continue;
    complain(reading, 'unknown_member', 'is not a member of a request', name);
  }
  const action = readAction(reading, request['action']);
  const principal = inside(reading, 'principal', request['principal'], readPrincipal);
  const resource = inside(reading, 'resource', request['resource'], readEntity);
  const { context, riskScore } = inside(reading, 'context', request['context'] ?? {}, (_, value) => {
    if (isPlainObject(value)) {
      return { context: readContext(reading, value, types?.contextOf(action)), riskScore: scoreOf(value) };
    }
    complain(reading, 'object', 'must be a JSON object');
    return { context: {}, riskScore: null };
  });
  inside(reading, 'entities', request['entities'] ?? [], readEntities);
  if (reading.bytes > REQUEST_MAX_BYTES && isLarge(request)) {
    throw refusal('too_large', `must take at most ${REQUEST_MAX_BYTES} bytes as JSON`);
  }
  refuse(reading.violations);
  const { entities } = reading;
  return { request: { principal, action: { type: ACTION_TYPE, id: action }, resource, context, entities }, riskScore };
}

function inside<T>(reading: Reading, name: string, value: unknown, read: (reading: Reading, value: unknown) => T): T {
  reading.path.push(name);
  const result = read(reading, value);
  reading.path.pop();
  return result;
}

function readAction(reading: Reading, action: unknown): string {
  if (typeof action === 'string' && action.length <= ENTITY_ID_MAX && action.trim() !== '') {
    countText(reading, action);
    return action;
  }
  complain(reading, 'action', `must be a string of 1 to ${ENTITY_ID_MAX} characters that is not blank`, 'action');
  return '';
}

function refusal(rule: string, message: string): PolicyRequestInvalid {
  return new PolicyRequestInvalid([{ path: '', rule, message }]);
}

function refuse(violations: readonly Violation[]): void {
  if (violations.length > 0) throw new PolicyRequestInvalid(violations.slice(0, MAX_VIOLATIONS));
}

function isLarge(request: object): boolean {
  return new TextEncoder().encode(JSON.stringify(request)).length > REQUEST_MAX_BYTES;
}

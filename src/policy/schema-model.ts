import { isPlainObject } from '../contract/scalars/kind.ts';
import { type Finding, finding } from './finding.ts';
import { isPrincipalType, PRINCIPAL_ATTRIBUTES, PRINCIPAL_TYPES } from './model.ts';
import type { SchemaTypes } from './schema-types.ts';

/** Where a schema could never hold for what the ledger asks: it would turn each request into an escalation. */
export function modelFaults(types: SchemaTypes, json: Record<string, unknown>): Finding[] {
  const complain = (message: string) => finding('/schema', 'schema_model', message);
  const declared = Object.values(PRINCIPAL_TYPES).filter((type) => types.declares(type));
  if (declared.length === 0) return [complain('must declare an entity Agent or Workflow, outside any namespace')];
  const faults = declared.flatMap((type) => principalFaults(type, types).map(complain));
  if (!actionsOf(json).some(({ principals }) => principals.some(isPrincipalType))) {
    faults.push(complain('must declare, outside any namespace, an action that applies to Agent or Workflow'));
  }
  return faults;
}

function principalFaults(type: string, types: SchemaTypes): string[] {
  const shape = types.attributesOf(type);
  if (shape?.kind !== 'record') return [];
  const ours: readonly string[] = PRINCIPAL_ATTRIBUTES;
  const missing = shape.required
    .filter((name) => !ours.includes(name))
    .map((name) => `must not require ${name} of ${type}: the ledger knows ${ours.join(', ')} of its principals`);
  const mistyped = ours
    .filter((name) => shape.members.has(name) && shape.members.get(name)?.kind !== 'string')
    .map((name) => `must declare ${name} of ${type} as String`);
  return [...missing, ...mistyped];
}

/** The actions outside any namespace, with the types of principal they apply to. */
export function actionsOf(json: Record<string, unknown>): { id: string; principals: string[] }[] {
  const bare = json[''];
  const actions = isPlainObject(bare) && isPlainObject(bare['actions']) ? bare['actions'] : {};
  return Object.entries(actions).map(([id, action]) => {
    const applies = isPlainObject(action) && isPlainObject(action['appliesTo']) ? action['appliesTo'] : {};
    const [principals, resources] = [applies['principalTypes'], applies['resourceTypes']];
    const hasResource = Array.isArray(resources) && resources.length > 0;
    return { id, principals: hasResource && Array.isArray(principals) ? principals.map(String) : [] };
  });
}

import type { SourceType } from '../contract/index.ts';

/** The entity types of principals, by the type of source: an invocation's agent, an execution's workflow. */
export const PRINCIPAL_TYPES = { agent: 'Agent', workflow: 'Workflow' } as const satisfies Record<SourceType, string>;
export const ACTION_TYPE = 'Action';

/** What the ledger knows of a principal, all strings; a schema need not declare all of them. */
export const PRINCIPAL_ATTRIBUTES = ['version', 'domain', 'governance_class'] as const;

export function isPrincipalType(type: string): boolean {
  return Object.values<string>(PRINCIPAL_TYPES).includes(type);
}

/** A reference to an entity, in Cedar `type::"id"`. */
export interface EntityReference {
  type: string;
  id: string;
}

/** An entity as a request brings it; all but its reference is optional. */
export interface EntityInput extends EntityReference {
  attributes?: Record<string, unknown> | null;
  parents?: readonly EntityReference[] | null;
  tags?: Record<string, unknown> | null;
}

/** The principal of a request about a subject: its source as the start row names it. */
export function principalOf(source: {
  type: SourceType;
  id: string;
  version: string;
  domain: string;
  governance_class: string;
}): EntityInput {
  const { version, domain, governance_class } = source;
  return { type: PRINCIPAL_TYPES[source.type], id: source.id, attributes: { version, domain, governance_class } };
}

import { type Cedar, guarded } from './engine.ts';
import { canApply } from './folding.ts';
import { ACTION_TYPE, isPrincipalType } from './model.ts';
import type { Policy } from './policies.ts';

/** Longer policies are not looked into: Cedar writes a policy as JSON by recursion over every `&&`. */
const MAX_TOKENS = 400;

/**
 * Why a policy can never apply to a request of the ledger, as far as its scope and constants tell; undefined when it
 * may. Cedar's validator says more, but only with a schema.
 *
 * @param actions of the schema, outside any namespace, with the types of their principals; undefined without a schema
 */
export function whyNever(
  cedar: Cedar,
  text: string,
  policy: Policy,
  actions: ReadonlyMap<string, readonly string[]> | undefined,
): string | undefined {
  return whyNotInScope(policy, actions) ?? whyNotByConstants(cedar, text, policy);
}

function whyNotInScope(
  { head: { principal, action } }: Policy,
  actions: ReadonlyMap<string, readonly string[]> | undefined,
): string | undefined {
  const type = principal.op === 'is' ? principal.entity_type : principal.op === '==' ? typeOf(principal) : undefined;
  if (type !== undefined && !isPrincipalType(type)) {
    return `its principal is of type ${type}, but every request has an Agent or a Workflow`;
  }
  if (action.op !== '==' || !('entity' in action)) return undefined;
  const entity = reference(action.entity);
  if (entity.type !== ACTION_TYPE)
    return `its action is of type ${entity.type}, but every request has an ${ACTION_TYPE}`;
  const principals = actions?.get(entity.id);
  return principals?.some(isPrincipalType) === false
    ? `its action applies to no Agent and no Workflow, says the schema`
    : undefined;
}

function typeOf(constraint: object): string | undefined {
  return 'entity' in constraint ? reference(constraint.entity).type : undefined;
}

function reference(entity: unknown): { type: string; id: string } {
  const value = entity as { type: string; id: string } | { __entity: { type: string; id: string } };
  return '__entity' in value ? value.__entity : value;
}

function whyNotByConstants(cedar: Cedar, text: string, { statement }: Policy): string | undefined {
  if (statement.tokens > MAX_TOKENS) return undefined;
  const answer = guarded(() => cedar.policyToJson(text.slice(statement.start, statement.end)));
  if (answer.type !== 'success' || canApply(answer.json.conditions)) return undefined;
  return 'its conditions can never hold';
}

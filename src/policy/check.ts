import { type Cedar, loadEngine } from './engine.ts';
import { type Finding, finding, inOrder } from './finding.ts';
import { hashOf } from './hash.ts';
import { whyNever } from './never-matches.ts';
import { type Policy, readPolicies } from './policies.ts';
import { type ReadSchema, readSchema } from './schema.ts';
import { actionsOf } from './schema-model.ts';
import { type PolicySetSource, sourceText } from './source.ts';
import { validate } from './validation.ts';

export type CheckedPolicySet =
  | {
      ok: true;
      /** SHA-256 in hexadecimal, over the exact texts; see `hashOf`. */
      hash: string;
      /** In the order of the text. */
      policy_ids: string[];
      schema_hash: string | null;
      warnings: Finding[];
    }
  | { ok: false; violations: Finding[] };

/**
 * Checks a policy set as it is checked before it is stored: syntax, schema, one against the other, ids, annotations,
 * limits, and whether it can ever apply. Answers every fault it can tell, at most 100.
 *
 * @throws PolicyEngineError when Cedar is absent or broke down
 */
export async function checkPolicySet(source: PolicySetSource): Promise<CheckedPolicySet> {
  const cedar = await loadEngine();
  const { text, violations } = sourceText(source);
  if (violations.length > 0) return { ok: false, violations: inOrder(violations) };
  const { policies, violations: faults, warnings } = readPolicies(cedar, text.policies);
  const schema = text.schema ? readSchema(cedar, text.schema) : undefined;
  const found = [...faults, ...(schema && !schema.ok ? schema.violations : [])];
  if (found.length > 0) return { ok: false, violations: inOrder(found) };

  const read = schema?.ok ? schema.read : undefined;
  const validation = read && validate(cedar, text.policies, policies, read);
  const never = neverApplying(cedar, text.policies, policies, read, validation?.impossible ?? new Set());
  const errors = [...(validation?.errors ?? []), ...noneApplies(policies, never)];
  if (errors.length > 0) return { ok: false, violations: inOrder(errors) };
  const { hash, schemaHash } = await hashOf(text);
  return {
    ok: true,
    hash,
    policy_ids: policies.map(({ id }) => id),
    schema_hash: schemaHash,
    warnings: inOrder([
      ...warnings,
      ...(validation?.warnings ?? []),
      ...never.values(),
      ...nothingAllowed(policies, never),
    ]),
  };
}

/** The policies that can never apply, by their number. */
function neverApplying(
  cedar: Cedar,
  text: string,
  policies: readonly Policy[],
  read: ReadSchema | undefined,
  impossible: ReadonlySet<number>,
): Map<number, Finding> {
  const actions = read && new Map(actionsOf(read.json).map(({ id, principals }) => [id, principals]));
  const never = new Map<number, Finding>();
  for (const [index, policy] of policies.entries()) {
    const bySchema = impossible.has(index) ? 'it is false for every request that the schema allows' : undefined;
    const reason = whyNever(cedar, text, policy, actions) ?? bySchema;
    if (!reason) continue;
    const message = `${policy.id} can never apply: ${reason}`;
    never.set(index, finding('/policies', 'never_matches', message, policy.place));
  }
  return never;
}

function noneApplies(policies: readonly Policy[], never: ReadonlyMap<number, Finding>): Finding[] {
  if (never.size < policies.length) return [];
  const message = 'must hold a policy that can apply to some request; none of these ever can';
  return [finding('/policies', 'never_matches', message), ...never.values()];
}

function nothingAllowed(policies: readonly Policy[], never: ReadonlyMap<number, Finding>): Finding[] {
  const permits = policies.some(({ head }, index) => head.effect === 'permit' && !never.has(index));
  return permits ? [] : [finding('/policies', 'never_allows', 'no policy can permit: every request is refused')];
}

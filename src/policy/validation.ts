import { findingsOf } from './cedar-errors.ts';
import { type Cedar, guarded } from './engine.ts';
import { type Finding, finding } from './finding.ts';
import { MAX_VALIDATION_WORK } from './limits.ts';
import { Places } from './place.ts';
import { numberOf, type Policy } from './policies.ts';
import type { ReadSchema } from './schema.ts';

/** What Cedar's validator says of policies and schema. */
export interface Validation {
  errors: Finding[];
  warnings: Finding[];
  /** Numbers of the policies that are false for every request the schema allows. */
  impossible: Set<number>;
}

const IMPOSSIBLE = /policy is impossible|unable to find an applicable action/;

export function validate(
  cedar: Cedar,
  text: string,
  policies: readonly Policy[],
  { schema, size }: ReadSchema,
): Validation {
  const result: Validation = { errors: [], warnings: [], impossible: new Set() };
  if (policies.length * size.requestKinds > MAX_VALIDATION_WORK) {
    const product = `${size.requestKinds} kinds of request times ${policies.length} policies`;
    const message = `must take less work to validate: ${product} is over ${MAX_VALIDATION_WORK}`;
    return { ...result, errors: [finding('/schema', 'validation_work', message)] };
  }
  const answer = guarded(() => cedar.validate({ schema, policies: { staticPolicies: text } }));
  const places = new Places(text);
  if (answer.type === 'failure') {
    const errors = answer.errors.flatMap((error) => findingsOf(error, '/policies', 'policy_invalid', places));
    return { ...result, errors };
  }
  for (const { policyId, error } of answer.validationErrors) {
    const about = `${policies[numberOf(policyId)]?.id}: `;
    result.errors.push(...findingsOf(error, '/policies', 'policy_invalid', places, about));
  }
  for (const { policyId, error } of answer.validationWarnings) {
    const number = numberOf(policyId);
    if (IMPOSSIBLE.test(error.message)) result.impossible.add(number);
    else {
      const about = `${policies[number]?.id}: `;
      result.warnings.push(...findingsOf(error, '/policies', 'policy_warning', places, about));
    }
  }
  return { ...result, errors: oneForEachPlace(result.errors) };
}

/** The validator repeats a fault for each kind of request. */
function oneForEachPlace(findings: readonly Finding[]): Finding[] {
  const first = new Map<string, Finding>();
  for (const one of findings) {
    const key = `${one.line}:${one.column}`;
    if (!first.has(key)) first.set(key, one);
  }
  return [...first.values()];
}

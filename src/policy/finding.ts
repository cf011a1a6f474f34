import { MAX_VIOLATIONS, type Violation } from '../contract/index.ts';
import type { Place } from './place.ts';

/** What is done about a finding, by its rule. */
const REMEDIES = {
  text: 'Send the policies as Cedar text, and the schema as Cedar text or as an object.',
  text_storable: 'Remove the character.',
  too_large: 'Split the set, or shorten it: a tenant has one set, so move data into the entities of the request.',
  too_many: 'Merge policies that differ in one value only: a set in a condition holds many values.',
  nesting: 'Split the policy, or move the inner part into an attribute of the request.',
  policy_syntax: 'Correct the text at this place; https://docs.cedarpolicy.com has the grammar.',
  policy_empty: 'Write at least one policy, such as `permit(principal, action, resource);`.',
  policy_template: 'Write the principal or resource out, or test it in a condition: templates are never linked here.',
  policy_id: 'Give the policy another @id: it is kept with each decision.',
  policy_annotation: 'Correct the annotation: a decision rests on it.',
  policy_invalid: 'Make policy and schema agree at this place.',
  schema_invalid: 'Correct the schema at this place; https://docs.cedarpolicy.com has the grammar.',
  schema_too_deep: 'Flatten the hierarchy.',
  schema_model: 'Declare what the ledger asks with: principals `Agent` or `Workflow`, actions outside any namespace.',
  validation_work: 'Narrow actions, principal and resource types of the schema, or use fewer policies.',
  never_matches: 'Correct the condition or the scope, or remove the policy.',
  never_allows: 'Add a permit policy, if anything is to be allowed.',
  annotation_unknown: 'Correct the name, if an annotation that the ledger knows was meant.',
  policy_warning: 'Check that this is meant.',
} as const;

export type FindingRule = keyof typeof REMEDIES;

/**
 * Something about a policy set: `path` is the member (`/policies`, `/schema`), `line` and `column` stand in its text,
 * both from 1, columns in code points; both absent where the text has no such place. `remedy` says what to do.
 */
export interface Finding extends Violation {
  rule: FindingRule;
  line?: number;
  column?: number;
  remedy: string;
}

export type SetMember = '/policies' | '/schema';

export function finding(path: SetMember, rule: FindingRule, message: string, place?: Place, help?: string): Finding {
  const remedy = help ? `${sentence(help)} ${REMEDIES[rule]}` : REMEDIES[rule];
  return { path, rule, message, ...place, remedy };
}

function sentence(text: string): string {
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? '' : '.'}`;
}

/** In the order of the text, policies first, and no more than a reader reads. */
export function inOrder(findings: readonly Finding[]): Finding[] {
  const key = ({ line = 0, column = 0 }: Finding) => line * 1e7 + column;
  return [...findings]
    .sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : key(a) - key(b)))
    .slice(0, MAX_VIOLATIONS);
}

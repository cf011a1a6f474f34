import type { PolicyJson } from '@cedar-policy/cedar-wasm/nodejs';
import { kindHolds, scalarKinds } from '../contract/scalars/kind.ts';
import { idText } from '../contract/scalars/text.ts';
import { textComplaint } from '../contract/storable.ts';
import { misspelt, type Say, sayOf } from './annotations.ts';
import { findingsOf } from './cedar-errors.ts';
import { type Cedar, guarded } from './engine.ts';
import { type Finding, finding } from './finding.ts';
import { tooDeep } from './levels.ts';
import { MAX_POLICIES, MAX_TEXT_LEVELS } from './limits.ts';
import { type Place, Places } from './place.ts';
import { DEFAULT_DENY } from './reserved.ts';
import { type Statement, statementsOf } from './statements.ts';
import { tokensOf } from './tokens.ts';

/** One policy of a set: `id` is its @id, else `policy` and its number from 0. */
export interface Policy extends Say {
  readonly id: string;
  readonly place: Place;
  readonly statement: Statement;
  /** Effect, annotations and scope, as Cedar's JSON; no conditions. */
  readonly head: PolicyJson;
}

export interface ReadPolicies {
  readonly policies: readonly Policy[];
  readonly violations: readonly Finding[];
  readonly warnings: readonly Finding[];
}

/** Cedar calls the policies of a text `policy0`, `policy1` and so on, in its order: the number of such a name. */
export function numberOf(policyId: string): number {
  return Number(policyId.slice('policy'.length));
}

const refused = (violations: readonly Finding[]): ReadPolicies => ({ policies: [], violations, warnings: [] });

/** Reads the text of a policy set; with violations there are no policies. Says nothing about a schema. */
export function readPolicies(cedar: Cedar, text: string): ReadPolicies {
  const places = new Places(text);
  const tokens = tokensOf(text);
  const deep = tooDeep(tokens, 'policies', MAX_TEXT_LEVELS);
  if (deep) {
    const message = `must not nest deeper than ${MAX_TEXT_LEVELS} levels`;
    return refused([finding('/policies', 'nesting', message, places.at(deep.start))]);
  }
  const statements = statementsOf(tokens);
  if (statements.length === 0) return refused([finding('/policies', 'policy_empty', 'must hold a policy')]);
  if (statements.length > MAX_POLICIES) {
    const message = `must hold at most ${MAX_POLICIES} policies, not ${statements.length}`;
    return refused([finding('/policies', 'too_many', message)]);
  }
  const templates = statements.flatMap(({ slot }) => (slot === undefined ? [] : [places.at(slot)]));
  if (templates.length > 0) {
    return refused(
      templates.map((place) => finding('/policies', 'policy_template', 'must not be a template, with a slot', place)),
    );
  }
  const parsed = guarded(() => cedar.checkParsePolicySet({ staticPolicies: text }));
  if (parsed.type === 'failure') {
    return refused(parsed.errors.flatMap((error) => findingsOf(error, '/policies', 'policy_syntax', places)));
  }
  return readHeads(cedar, text, statements, places);
}

function readHeads(cedar: Cedar, text: string, statements: readonly Statement[], places: Places): ReadPolicies {
  const violations: Finding[] = [];
  const warnings: Finding[] = [];
  const policies = statements.map((statement, index): Policy => {
    const place = places.at(statement.start);
    const head = headOf(cedar, text, statement);
    const annotations = head.annotations ?? {};
    const id = Object.hasOwn(annotations, 'id') ? (annotations['id'] ?? '') : `policy${index}`;
    const { say, faults } = sayOf(head.effect, annotations);
    for (const fault of faults) violations.push(finding('/policies', 'policy_annotation', `${id}: ${fault}`, place));
    for (const { name, meant } of misspelt(annotations)) {
      const message = `${id}: @${name} has no meaning here; was @${meant} meant?`;
      warnings.push(finding('/policies', 'annotation_unknown', message, place));
    }
    return { ...say, id, place, statement, head };
  });
  violations.push(...idFaults(policies));
  return violations.length > 0 ? refused(violations) : { policies, violations, warnings };
}

function headOf(cedar: Cedar, text: string, statement: Statement): PolicyJson {
  const { start, headEnd } = statement;
  const answer = guarded(() => cedar.policyToJson(`${text.slice(start, headEnd)};`));
  if (answer.type === 'success') return answer.json;
  throw new Error(`the head of a policy cannot be read: ${answer.errors[0]?.message}`);
}

const idKind = scalarKinds.get(idText);

function idFaults(policies: readonly Policy[]): Finding[] {
  const seen = new Map<string, Place>();
  return policies.flatMap(({ id, place }) => {
    const first = seen.get(id);
    seen.set(id, first ?? place);
    const fault = first ? `must differ from all others; "${id}" stands on line ${first.line} too` : idFault(id);
    return fault ? [finding('/policies', 'policy_id', `the id of a policy ${fault}`, place)] : [];
  });
}

function idFault(id: string): string | undefined {
  if (id === DEFAULT_DENY) return `must not be "${DEFAULT_DENY}", which says that no policy matched`;
  const complaint = textComplaint(id)?.message;
  return complaint ?? (idKind && !kindHolds(idKind, id) ? `must be ${idKind.expected}` : undefined);
}

import { type Cedar, loadEngine } from './engine.ts';
import { PolicySetInvalid } from './errors.ts';
import { inOrder } from './finding.ts';
import { hashOf } from './hash.ts';
import { type Parsable, ParsedSets } from './parsed-sets.ts';
import { type Policy, readPolicies } from './policies.ts';
import { readSchema } from './schema.ts';
import type { SchemaTypes } from './schema-types.ts';
import { type PolicySetSource, sourceText } from './source.ts';
import { tokensOf } from './tokens.ts';

/** A policy set that can be asked. It stays good when Cedar no longer holds it: the next question parses it again. */
export interface PreparedPolicySet {
  /** SHA-256 in hexadecimal, over the exact texts; see `hashOf`. */
  readonly hash: string;
  readonly schemaHash: string | null;
  /** In the order of the text. */
  readonly policyIds: readonly string[];
}

/** What a prepared set is inside this room. */
export interface ParsedPolicySet extends PreparedPolicySet, Parsable {
  readonly cedar: Cedar;
  readonly rules: readonly Policy[];
  readonly types: SchemaTypes | null;
  /** UTF-16 units of all patterns (`like`) together. */
  readonly patterns: number;
}

const parsedSets = new ParsedSets<ParsedPolicySet>();

/**
 * Prepares a policy set, parsed once per process while there is room (`MAX_PREPARED_SETS`, `MAX_PREPARED_BYTES`).
 * Reads it as `checkPolicySet` does, but does not hold the policies to the schema again: that was done when it was stored.
 *
 * @throws PolicySetInvalid when it cannot be read, PolicyEngineError when Cedar is absent or broke down
 */
export async function preparePolicySet(source: PolicySetSource): Promise<PreparedPolicySet> {
  const cedar = await loadEngine();
  const { text, violations } = sourceText(source);
  if (violations.length > 0) throw new PolicySetInvalid(inOrder(violations));
  const { hash, schemaHash } = await hashOf(text);
  const known = parsedSets.get(hash);
  if (known) return known;
  const read = readPolicies(cedar, text.policies);
  const schema = text.schema && readSchema(cedar, text.schema);
  const faults = [...read.violations, ...(schema && !schema.ok ? schema.violations : [])];
  if (faults.length > 0) throw new PolicySetInvalid(inOrder(faults));
  const set: ParsedPolicySet = {
    hash,
    schemaHash,
    policyIds: read.policies.map(({ id }) => id),
    rules: read.policies,
    policies: text.policies,
    schema: schema?.ok ? schema.read.schema : null,
    types: schema?.ok ? schema.read.types : null,
    patterns: patternsOf(text.policies),
    length: text.policies.length + (text.schema?.text.length ?? 0),
    cedar,
  };
  parsedSets.nameOf(cedar, set);
  return set;
}

function patternsOf(policies: string): number {
  const tokens = tokensOf(policies);
  return tokens.reduce((sum, token, n) => (tokens[n - 1]?.text === 'like' ? sum + token.text.length : sum), 0);
}

/** The set with this hash, if the process holds it; so that a stored set need not be read from the database again. */
export function preparedPolicySet(hash: string): PreparedPolicySet | undefined {
  return parsedSets.get(hash);
}

/** The name under which Cedar holds the set, parsed again when it was dropped. */
export function nameInCedar(set: ParsedPolicySet): string {
  return parsedSets.nameOf(set.cedar, set);
}

/** How many sets are held, and how many were parsed since the process began. */
export function preparedSets(): { held: number; parsed: number } {
  return { held: parsedSets.size, parsed: parsedSets.parsed };
}

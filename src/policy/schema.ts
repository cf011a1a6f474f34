import type { Schema } from '@cedar-policy/cedar-wasm/nodejs';
import { isPlainObject } from '../contract/scalars/kind.ts';
import { findingsOf } from './cedar-errors.ts';
import { type Cedar, guarded } from './engine.ts';
import { expandedSize, expandedTextSize } from './expansion.ts';
import { type Finding, type FindingRule, finding } from './finding.ts';
import { type SchemaSize, sizeOf } from './hierarchy.ts';
import { tooDeep } from './levels.ts';
import { MAX_DECLARATIONS, MAX_EXPANSION, MAX_HIERARCHY, MAX_TEXT_LEVELS } from './limits.ts';
import { Places } from './place.ts';
import { modelFaults } from './schema-model.ts';
import { SchemaTypes } from './schema-types.ts';
import type { SourceText } from './source.ts';
import { tokensOf } from './tokens.ts';

/** A schema that was read: as Cedar takes it, what it says about values, and how much it holds. */
export interface ReadSchema {
  readonly schema: Schema;
  readonly types: SchemaTypes;
  readonly size: SchemaSize;
  /** In Cedar's JSON form. */
  readonly json: Record<string, unknown>;
  /** Of its text; undefined when it came as an object. */
  readonly places: Places | undefined;
}

type Read = { ok: true; read: ReadSchema } | { ok: false; violations: Finding[] };

const refused = (rule: FindingRule, message: string): Read => ({
  ok: false,
  violations: [finding('/schema', rule, message)],
});

/** Reads a schema, and holds it to what the ledger asks with. */
export function readSchema(cedar: Cedar, source: NonNullable<SourceText['schema']>): Read {
  const places = source.json ? undefined : new Places(source.text);
  const large = source.json ? undefined : tooLarge(source.text, places);
  if (large) return large;
  const schema = (source.json ?? source.text) as Schema;
  const asJson = jsonOf(cedar, schema);
  // The closure over the hierarchy is what takes long, so its size is looked at first.
  if (asJson) {
    const size = sizeOf(asJson);
    if (size.declarations > MAX_DECLARATIONS) return tooMany(size.declarations);
    if (expandedSize(asJson, MAX_EXPANSION) > MAX_EXPANSION) {
      return tooWide();
    }
    if (size.levels > MAX_HIERARCHY) {
      return refused('schema_too_deep', `must not have chains of more than ${MAX_HIERARCHY} parents`);
    }
  }
  const parsed = guarded(() => cedar.checkParseSchema(schema));
  if (parsed.type === 'failure' || !asJson) {
    const errors = parsed.type === 'failure' ? parsed.errors : [];
    if (errors.length === 0) return refused('schema_invalid', 'must be a Cedar schema');
    return { ok: false, violations: errors.flatMap((error) => findingsOf(error, '/schema', 'schema_invalid', places)) };
  }
  const read: ReadSchema = { schema, types: new SchemaTypes(asJson), size: sizeOf(asJson), json: asJson, places };
  const faults = modelFaults(read.types, asJson);
  return faults.length > 0 ? { ok: false, violations: faults } : { ok: true, read };
}

function tooLarge(text: string, places: Places | undefined): Read | undefined {
  const tokens = tokensOf(text);
  const deep = tooDeep(tokens, 'schema', MAX_TEXT_LEVELS);
  if (deep) {
    const message = `must not nest deeper than ${MAX_TEXT_LEVELS} levels`;
    return { ok: false, violations: [finding('/schema', 'nesting', message, places?.at(deep.start))] };
  }
  if (expandedTextSize(tokens, MAX_EXPANSION) > MAX_EXPANSION) return tooWide();
  const declarations = tokens.filter((token) => token.text === ';').length;
  return declarations > MAX_DECLARATIONS ? tooMany(declarations) : undefined;
}

function tooWide(): Read {
  const words = `must not come to more than ${MAX_EXPANSION} members once its common types are written out`;
  return refused('schema_too_deep', words);
}

function tooMany(declarations: number): Read {
  return refused('too_many', `must declare at most ${MAX_DECLARATIONS} types and actions, not ${declarations}`);
}

function jsonOf(cedar: Cedar, schema: Schema): Record<string, unknown> | undefined {
  if (typeof schema === 'object') return schema;
  const answer = guarded(() => cedar.schemaToJson(schema));
  return answer.type === 'success' && isPlainObject(answer.json) ? answer.json : undefined;
}

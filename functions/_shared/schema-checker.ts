// Checks an envelope against what its source's definition registered, and says with which schemas: the database holds
// that the registered ones, and no others, were used.
import type { Envelope, Violation } from '../../src/contract/index.ts';
import {
  type CheckedSchemas,
  type DefinitionRecord,
  getSourceDefinition,
  Refusal,
  type Session,
} from '../../src/database/index.ts';
import { BoundedCache } from './bounded-cache.ts';
import { type Check, compileSchema } from './schema-compiler.ts';

export interface SchemaChecker {
  /**
   * Throws `result_schema_mismatch` (pointers into the envelope), or answers the hashes of the schemas it checked with.
   * `reload` asks the database for the definition again.
   */
  check(session: Session, tenantId: string, envelope: Envelope, reload?: boolean): Promise<CheckedSchemas | null>;
}

/** What of a definition is needed here; null members: nothing registered. */
interface Schemas {
  result: { hash: string; check: Check } | null;
  confidence: { hash: string; check: Check } | null;
}

// Definitions never change, so what was read stays true; only "there is none" can become untrue, and then the database
// refuses `schema_unchecked` and the caller reloads.
const REMEMBERED = 2000;

export function createSchemaChecker(): SchemaChecker {
  const definitions = new BoundedCache<string, Schemas>(REMEMBERED);
  const compiled = new BoundedCache<string, Check>(500);

  const compile = (schema: Record<string, unknown> | null | undefined, hash: string | null | undefined) => {
    if (schema === null || schema === undefined || !hash) return null;
    let check = compiled.get(hash);
    if (!check) {
      const made = compileSchema(schema);
      // Registered past the functions: such a schema accepts nothing, and says why.
      check = made.ok ? made.check : (_, root) => made.violations.map((one) => ({ ...one, path: root }));
      compiled.set(hash, check);
    }
    return { hash, check };
  };

  const load = async (session: Session, key: string, source: Envelope['source']): Promise<Schemas> => {
    const record: DefinitionRecord | null = await getSourceDefinition(session, source.type, source.id, source.version);
    const schemas = {
      result: compile(record?.output_schema, record?.output_schema_hash),
      confidence: compile(record?.confidence_schema, record?.confidence_schema_hash),
    };
    definitions.set(key, schemas);
    return schemas;
  };

  return {
    check: async (session, tenantId, envelope, reload = false) => {
      const { source } = envelope;
      const key = JSON.stringify([tenantId, source.type, source.id, source.version]);
      const known = reload ? undefined : definitions.get(key);
      const schemas = known ?? (await load(session, key, source));
      const violations = violationsOf(schemas, envelope);
      if (violations.length > 0) throw new Refusal('result_schema_mismatch', { violations });
      const checked: CheckedSchemas = {};
      if (schemas.result) checked.result = schemas.result.hash;
      if (schemas.confidence) checked.confidence = schemas.confidence.hash;
      return schemas.result || schemas.confidence ? checked : null;
    },
  };
}

function violationsOf(schemas: Schemas, envelope: Envelope): Violation[] {
  const { result, quality } = envelope;
  const confidence = quality?.confidence;
  return [
    ...(schemas.result && result !== null ? schemas.result.check(result, '/result') : []),
    ...(schemas.confidence && confidence !== null && confidence !== undefined
      ? schemas.confidence.check(confidence, '/quality/confidence')
      : []),
  ];
}

// JSON Schema 2020-12 with ajv, for the schemas that definitions register.
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Violation } from '../../src/contract/index.ts';
import { guardSchema } from './schema-guard.ts';
import { replaceUniqueItems } from './unique-items.ts';

/** Violations of a value, with JSON Pointers below `root`; at most 100. */
export type Check = (value: unknown, root: string) => Violation[];
export type Compiled = { ok: true; check: Check } | { ok: false; violations: Violation[] };

const MAX_VIOLATIONS = 100;

const DIALECT = 'https://json-schema.org/draft/2020-12/schema';
const DIALECT_NAMES = /^https?:\/\/json-schema\.org\/(?:draft\/2020-12\/)?schema#?$/;

// Knows the meta-schema and never a caller's: what one tenant registers must not change what another may.
const dialect = new Ajv2020({ strict: false, allErrors: true, logger: false });

// A CommonJS module: what its default import is depends on who loads it.
type Plugin = (to: Ajv2020) => unknown;
const plugin = addFormats as unknown as Plugin & { default?: Plugin };
const withFormats = plugin.default ?? plugin;

/** Compiles a schema, or says where it is refused. */
export function compileSchema(schema: Record<string, unknown> | boolean): Compiled {
  const refused = guardSchema(schema);
  if (refused.length > 0) return { ok: false, violations: refused };
  try {
    const violations = dialectViolations(schema);
    return violations.length > 0 ? { ok: false, violations } : { ok: true, check: checkerOf(schema) };
  } catch (error) {
    const message = error instanceof Error ? error.message.slice(0, 300) : 'does not compile';
    return { ok: false, violations: [{ path: '', rule: 'schema_compiles', message }] };
  }
}

function dialectViolations(schema: Record<string, unknown> | boolean): Violation[] {
  const named = typeof schema === 'object' ? schema['$schema'] : undefined;
  if (typeof named === 'string' && !DIALECT_NAMES.test(named)) {
    return [{ path: '/$schema', rule: 'schema_dialect', message: `must be ${DIALECT}` }];
  }
  if (dialect.validate(DIALECT, schema) === true) return [];
  const errors = (dialect.errors ?? []).slice(0, MAX_VIOLATIONS).map((error) => violationOf(error, ''));
  return errors.length > 0 ? errors : [{ path: '', rule: 'schema_compiles', message: 'is not a schema' }];
}

/** An instance for this schema alone: names (`$id`, `$anchor`) of one schema mean nothing in another. */
function checkerOf(schema: Record<string, unknown> | boolean): Check {
  const ajv = new Ajv2020({
    allErrors: true,
    // Keywords and formats it does not know are annotations, as the specification says.
    strict: false,
    validateFormats: true,
    // A member is what the document holds, not what every object inherits.
    ownProperties: true,
    // Held against the meta-schema before.
    meta: false,
    validateSchema: false,
    logger: false,
  });
  withFormats(ajv);
  const startCounting = replaceUniqueItems(ajv);
  const check = checkWith(ajv.compile(schema));
  return (value, root) => {
    startCounting();
    return check(value, root);
  };
}

/** Only `true` is a match; a validator that throws, promises or says nothing is a schema that cannot be evaluated. */
export function checkWith(validate: ((value: unknown) => unknown) & Pick<ValidateFunction, 'errors'>): Check {
  return (value, root) => {
    try {
      const answer = validate(value);
      if (answer === true) return [];
      // A promise is no answer, and it must not reject unheard.
      if (answer !== false) void Promise.resolve(answer).catch(() => {});
      const errors = answer === false ? (validate.errors ?? []) : [];
      return errors.length > 0
        ? errors.slice(0, MAX_VIOLATIONS).map((error) => violationOf(error, root))
        : unable(root);
    } catch {
      // Such as a schema that refers to itself without end.
      return unable(root);
    }
  };
}

function unable(path: string): Violation[] {
  return [{ path, rule: 'schema_evaluates', message: 'cannot be checked: the schema cannot be evaluated' }];
}

/** The violation points at the member that is missing or too many, not at the object around it. */
function violationOf(error: ErrorObject, root: string): Violation {
  const { missingProperty, additionalProperty, unevaluatedProperty, propertyName } = error.params as Record<
    string,
    unknown
  >;
  const member = [missingProperty, additionalProperty, unevaluatedProperty, propertyName].find(
    (one) => typeof one === 'string',
  );
  const below = member === undefined ? '' : `/${String(member).replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return {
    path: `${root}${error.instancePath}${below}`,
    rule: error.keyword,
    message: error.message ?? 'is not valid',
  };
}

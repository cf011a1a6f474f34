// JSON Schema 2020-12 with ajv, for the schemas that definitions register.
import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import type { Violation } from '../../src/contract/index.ts';
import { guardSchema } from './schema-guard.ts';

/** Violations of a value, with JSON Pointers below `root`; at most 100. */
export type Check = (value: unknown, root: string) => Violation[];
export type Compiled = { ok: true; check: Check } | { ok: false; violations: Violation[] };

const MAX_VIOLATIONS = 100;

const ajv = new Ajv2020({
  allErrors: true,
  // Keywords and formats it does not know are annotations, as the specification says.
  strict: false,
  validateFormats: true,
  // Two tenants may use one `$id`: a schema is compiled for itself alone.
  addUsedSchema: false,
  logger: false,
});
// A CommonJS module: what its default import is depends on who loads it.
type Plugin = (to: Ajv2020) => unknown;
const plugin = addFormats as unknown as Plugin & { default?: Plugin };
(plugin.default ?? plugin)(ajv);
ajv.removeKeyword('uniqueItems');
ajv.addKeyword({
  keyword: 'uniqueItems',
  type: 'array',
  schemaType: 'boolean',
  // The stock check compares every pair; this one grows with the size of the array alone.
  validate: (wanted: boolean, items: unknown[]) => !wanted || new Set(items.map(canonical)).size === items.length,
  error: { message: 'must NOT have duplicate items' },
});

/** Compiles a schema, or says where it is refused. */
export function compileSchema(schema: Record<string, unknown> | boolean): Compiled {
  const refused = guardSchema(schema);
  if (refused.length > 0) return { ok: false, violations: refused };
  try {
    if (!ajv.validateSchema(schema))
      return { ok: false, violations: (ajv.errors ?? []).map((error) => violationOf(error, '')) };
    const validate = ajv.compile(schema);
    return { ok: true, check: checkWith(validate) };
  } catch (error) {
    const message = error instanceof Error ? error.message.slice(0, 300) : 'does not compile';
    return { ok: false, violations: [{ path: '', rule: 'schema_compiles', message }] };
  } finally {
    // The instance would keep every schema it has seen.
    if (typeof schema === 'object') ajv.removeSchema(schema);
  }
}

function checkWith(validate: ValidateFunction): Check {
  return (value, root) =>
    validate(value) ? [] : (validate.errors ?? []).slice(0, MAX_VIOLATIONS).map((error) => violationOf(error, root));
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

/** One text for all spellings of a value: JSON with sorted keys. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
}

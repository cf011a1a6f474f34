// Which registered schemas are refused before they are compiled: those that reach outside themselves, and those that a
// small document could keep a process busy with.
import { pointer, type Violation } from '../../src/contract/index.ts';
import { patternViolations } from './schema-pattern.ts';

const MAX_BYTES = 65_536;
const MAX_NODES = 10_000;
const MAX_DEPTH = 64;

/** What is wrong with a schema, with JSON Pointers into it; empty when it may be compiled. */
export function guardSchema(schema: unknown): Violation[] {
  if (JSON.stringify(schema).length > MAX_BYTES) {
    return [{ path: '', rule: 'schema_size', message: `must be at most ${MAX_BYTES} characters of JSON` }];
  }
  const violations: Violation[] = [];
  let nodes = 0;
  let deepest = 0;
  const visit = (value: unknown, path: string, depth: number, holder: string): void => {
    nodes += 1;
    deepest = Math.max(deepest, depth);
    if (nodes > MAX_NODES || depth > MAX_DEPTH) return;
    if (typeof value !== 'object' || value === null) return;
    for (const [key, member] of Object.entries(value)) {
      const at = `${path}${pointer([key])}`;
      const list = Array.isArray(value);
      const keyword = !list && !NAME_HOLDERS.has(holder);
      if (keyword && isData(key, member)) continue;
      violations.push(...protoViolations(list ? member : key, at));
      if (keyword) violations.push(...keywordViolations(key, member, at));
      else if (!list && typeof member === 'string') violations.push({ path: at, ...NO_SCHEMA });
      if (holder === 'patternProperties' && !list) violations.push(...patternViolations(key, at));
      visit(member, at, depth + 1, keyword ? key : '');
    }
  };
  visit(schema, '', 1, '');
  if (nodes > MAX_NODES)
    violations.push({ path: '', rule: 'schema_size', message: `must have at most ${MAX_NODES} parts` });
  if (deepest > MAX_DEPTH)
    violations.push({ path: '', rule: 'schema_size', message: `must be at most ${MAX_DEPTH} levels deep` });
  return violations;
}

/** Under these keywords the keys are names of the schema's author. */
const NAME_HOLDERS = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependentRequired',
  'dependencies',
]);
/** Under these the values are plain data, which no reference may take for a schema. */
const DATA_HOLDERS = new Set(['const', 'enum', 'default', 'examples']);
const NO_SCHEMA = { rule: 'schema_compiles', message: 'must be a schema' };
const REFUSED = new Map([
  ['$async', 'must not be there: a schema is evaluated at once'],
  ['$dynamicRef', 'must not be there: only $ref is followed'],
  ['$dynamicAnchor', 'must not be there: only $ref is followed'],
  ['$recursiveRef', 'must not be there: only $ref is followed'],
  ['$recursiveAnchor', 'must not be there: only $ref is followed'],
]);

// The compiler looks for anchors in `examples` that is an object, so only a list is data.
function isData(key: string, member: unknown): boolean {
  return DATA_HOLDERS.has(key) && (key !== 'examples' || Array.isArray(member));
}

function keywordViolations(keyword: string, value: unknown, path: string): Violation[] {
  const refused = REFUSED.get(keyword);
  if (refused) return [{ path, rule: 'schema_keyword', message: refused }];
  if (typeof value !== 'string') return [];
  if (keyword === 'pattern') return patternViolations(value, path);
  if (keyword === '$id' && /json-schema\.org/i.test(value)) {
    return [{ path, rule: 'schema_id', message: 'must not be a name of json-schema.org' }];
  }
  return keyword === '$ref' ? refViolations(value, path) : [];
}

function refViolations(ref: string, path: string): Violation[] {
  const refused = (message: string) => [{ path, rule: 'schema_ref', message }];
  if (!ref.startsWith('#')) return refused('must point into the schema itself (begin with #)');
  // An escaped slash or percent sign reads differently before and after the path is split.
  if (/%(?:2f|25|7e)|%(?![0-9a-f]{2})/i.test(ref)) return refused('must not escape a slash, tilde or percent sign');
  let holder = '';
  for (const part of ref.split('/').slice(1)) {
    const key = unescaped(part);
    const keyword = !NAME_HOLDERS.has(holder);
    if (keyword && DATA_HOLDERS.has(key)) return refused('must point to a schema, not to data');
    holder = keyword ? key : '';
  }
  return NAME_HOLDERS.has(holder) ? refused('must point to a schema, not to the names around it') : [];
}

function unescaped(part: string): string {
  const text = part.replaceAll('~1', '/').replaceAll('~0', '~');
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function protoViolations(name: unknown, path: string): Violation[] {
  return name === '__proto__' ? [{ path, rule: 'schema_name', message: 'must not name __proto__' }] : [];
}

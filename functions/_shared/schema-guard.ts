// Which registered schemas are refused before they are compiled: those that reach outside themselves, and those that a
// small document could keep a process busy with.
import type { Violation } from '../../src/contract/index.ts';

const MAX_BYTES = 65_536;
const MAX_NODES = 10_000;
const MAX_DEPTH = 64;
const MAX_PATTERN = 512;

/** What is wrong with a schema, with JSON Pointers into it; empty when it may be compiled. */
export function guardSchema(schema: unknown): Violation[] {
  if (JSON.stringify(schema).length > MAX_BYTES) {
    return [{ path: '', rule: 'schema_size', message: `must be at most ${MAX_BYTES} characters of JSON` }];
  }
  const violations: Violation[] = [];
  let nodes = 0;
  const visit = (value: unknown, path: string, depth: number, holder: string): void => {
    nodes += 1;
    if (nodes > MAX_NODES || depth > MAX_DEPTH) return;
    if (typeof value !== 'object' || value === null) return;
    for (const [key, member] of Object.entries(value)) {
      const at = `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
      // Under these keywords the keys are names of the schema's author, and under those the values are plain data.
      const keyword = !Array.isArray(value) && !NAME_HOLDERS.has(holder);
      if (keyword && DATA_HOLDERS.has(key)) continue;
      if (keyword) violations.push(...keywordViolations(key, member, at));
      if (holder === 'patternProperties') violations.push(...patternViolations(key, at));
      visit(member, at, depth + 1, keyword ? key : '');
    }
  };
  visit(schema, '', 1, '');
  if (nodes > MAX_NODES)
    violations.push({ path: '', rule: 'schema_size', message: `must have at most ${MAX_NODES} parts` });
  return violations;
}

const NAME_HOLDERS = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
  'dependentRequired',
]);
const DATA_HOLDERS = new Set(['const', 'enum', 'default', 'examples']);

function keywordViolations(keyword: string, value: unknown, path: string): Violation[] {
  if ((keyword === '$ref' || keyword === '$dynamicRef') && typeof value === 'string' && !value.startsWith('#')) {
    return [{ path, rule: 'schema_ref', message: 'must point into the schema itself (begin with #)' }];
  }
  return keyword === 'pattern' && typeof value === 'string' ? patternViolations(value, path) : [];
}

function patternViolations(pattern: string, path: string): Violation[] {
  if (pattern.length > MAX_PATTERN) {
    return [{ path, rule: 'schema_pattern', message: `must be a pattern of at most ${MAX_PATTERN} characters` }];
  }
  if (!hasNestedRepeats(pattern)) return [];
  return [{ path, rule: 'schema_pattern', message: 'must not repeat a group that itself repeats without bound' }];
}

/** A repeat of a group that holds an unbounded repeat, like `(a+)*`: its match can take exponential time. */
export function hasNestedRepeats(pattern: string): boolean {
  const open: boolean[] = [];
  let inside = false;
  let closed = false;
  for (let at = 0; at < pattern.length; at += 1) {
    const char = pattern[at];
    const repeats = /^(?:[*+]|\{\d+,\d*\})/.test(pattern.slice(at, at + 12));
    if (repeats && closed) return true;
    if (repeats) inside = true;
    closed = false;
    if (char === '\\') at += 1;
    else if (char === '[') at = endOfClass(pattern, at);
    else if (char === '(') {
      open.push(inside);
      inside = false;
    } else if (char === ')') {
      closed = inside;
      inside ||= open.pop() ?? false;
    }
  }
  return false;
}

function endOfClass(pattern: string, from: number): number {
  let at = from + 1;
  while (at < pattern.length && pattern[at] !== ']') at += pattern[at] === '\\' ? 2 : 1;
  return at;
}

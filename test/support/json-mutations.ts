import fc from 'fast-check';
import { documentShape } from '../../src/contract/check.ts';
import type { DocumentName } from '../../src/contract/index.ts';
import type { Shape } from '../../src/contract/shape.ts';
import { DOCUMENT_SEEDS } from './document-seeds.ts';

/** JSON text to stand at a place, so that spellings such as 1.0 and 1e2 reach both readers as they are. */
const quoted = (text: string) => JSON.stringify(text);

const TIMES = [
  '2026-05-20T10:00:00z',
  '2026-05-20t10:00:00Z',
  '2026-05-20T24:00:00Z',
  '2026-05-20T23:59:60Z',
  '2026-02-30T10:00:00Z',
  '2024-02-29T10:00:00Z',
  '2025-02-29T10:00:00Z',
  '2100-02-29T10:00:00Z',
  '2000-02-29T23:59:59.999999999Z',
  '+010000-01-01T00:00:00Z',
  '10000-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999999999+00:00',
  '1969-12-31T23:59:59Z',
  '1970-01-01T00:00:00Z',
  'now',
  'infinity',
  '2026-05-20T10:00:00+99:00',
  '2026-05-20T10:00:00-00:00',
  '2026-05-20T10:00:00+01:00',
  '2026-05-20T10:00Z',
  '2026-05-20T10:00:00',
  '2026-05-20T10:00:00.123456Z',
  '2026-05-20T10:00:00.123456789Z',
  '2026-05-20T10:00:00.1234567890Z',
  '2026-05-20T10:00:01.850000001Z',
  '2026-05-20T10:00:01.85+00:00',
  '2026-05-20T10:00:00.Z',
  '2026-05-20 10:00:00Z',
  '2026-05-20T10:00:00Z\n',
  '2026-04-31T10:00:00Z',
  '2026-12-31T10:00:00Z',
  '2026-13-01T10:00:00Z',
  '2026-00-10T10:00:00Z',
  '2026-01-00T10:00:00Z',
];

const IDS = [
  '0b9cc0de-6c7e-4c39-9df5-9b1c61a3d0f1',
  '5f1d7a52-52a7-4f0e-8a55-3f2b6f7f1c11',
  '0B9CC0DE-6C7E-4C39-9DF5-9B1C61A3D0F1',
  '{0b9cc0de-6c7e-4c39-9df5-9b1c61a3d0f1}',
  '0b9cc0de6c7e4c399df59b1c61a3d0f1',
  '00000000-0000-0000-0000-000000000000',
  'ffffffff-ffff-ffff-ffff-ffffffffffff',
  '01890a5d-ac96-774b-bcce-b302099a8057',
  '0b9cc0de-6c7e-9c39-9df5-9b1c61a3d0f1',
  '0b9cc0de-6c7e-4c39-cdf5-9b1c61a3d0f1',
  '0b9cc0de-6c7e-4c39-9df5-9b1c61a3d0f1\n',
];

const VERSIONS = [
  '1.0.0-0beta',
  '1.0.0-0',
  '1.0.0+01',
  '1.0.0-01',
  'v1.0.0',
  '1.0',
  '01.0.0',
  '1.0.0-',
  '1.0.0-a..b',
  '1.0.0-alpha.1+b-1.002',
  `1.0.0-${'a'.repeat(94)}`,
  `1.0.0-${'a'.repeat(95)}`,
  `1.0.0-${'0'.repeat(10_000)}`,
  '1٫0.0',
];

const TEXTS = [
  '',
  ' ',
  '\t\u00a0\u2003\ufeff',
  '\u200b',
  '\u0085',
  '\u001c',
  'x'.repeat(200),
  'x'.repeat(201),
  '😀'.repeat(200),
  '😀'.repeat(201),
  'os.outcome.succeeded',
  'os',
  'oslo.fjord',
  'a..b',
  'order.received',
  'Überraschung',
  'true',
  'null',
  '1.0',
  '5-of-7',
  '8-of-7',
  '0-of-1',
  '0-of-0',
  '05-of-7',
  '999999999-of-999999999',
  '9999999999-of-9999999999',
  '5-of-7-of-9',
  'TIMEOUT',
  '9LIVES',
  'A'.repeat(100),
  'A'.repeat(101),
  'a\nb',
  "it's $body$",
  'success',
  'partial',
  'failure',
  'blocked',
  'escalated',
  'timeout',
  'skipped',
  'Success',
  'allow',
  'block',
  'escalate',
  'agent',
  'workflow',
  'consensus',
  'conditional',
  'hierarchical',
  'parallel',
  'fan-out-fan-in',
  'sequential',
  'governed-by',
  'escalated-to',
  'autonomous',
  'manual',
  'failed',
  'succeeded',
  '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  'ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  '00-00000000000000000000000000000000-00f067aa0ba902b7-01',
  '00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01',
];

const NUMBERS =
  '0 -0 -0.0 1 1.0 1e0 1e2 100 0.1 0.5 1.5 5 -5 -1e-7 1e-7 11 0.30000000000000004 0.1000000000000000055511151231257827 9007199254740991 9007199254740992 9007199254740993 2592000000 2592000001 2147483647 2147483648 123456789012345678 1234567890123456.7 0.1234567890123456789 1e15 1e16 1e21 1e22 1e23 123e20 1e308 1.7976931348623157e308 1.7976931348623159e308 1e309 1e400 1e131071 -1e131071 5e-324 4e-324 2.2250738585072014e-308 1e-400 1e-16000 0e-400 0e-401 0e-16000 0e5 1.000000000000000000000000'.split(
    ' ',
  );

const deep = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);

const OTHERS = [
  'null',
  'true',
  'false',
  '{}',
  '[]',
  '[null]',
  '["x"]',
  '[[]]',
  '[{}]',
  '[1,"two",{"three":3}]',
  '{"a":{"b":[1,2,{"c":null}]}}',
  '{"__proto__":{"x":1},"constructor":1}',
  '{"decision":"block"}',
  '{"code":"TIMEOUT"}',
  '[{"code":"TIMEOUT","message":"m","recoverable":true}]',
  '[{"code":"X","message":"m","recoverable":true,"field":null},{"code":"TIMEOUT"}]',
  '["0b9cc0de-6c7e-4c39-9df5-9b1c61a3d0f1","0b9cc0de-6c7e-4c39-9df5-9b1c61a3d0f1"]',
  `{"x":"${'y'.repeat(4_200)}"}`,
  `{"x":"${'y'.repeat(66_000)}"}`,
  `{"x":${deep(60)}}`,
];

const VALUES = [...[...TIMES, ...IDS, ...VERSIONS, ...TEXTS].map(quoted), ...NUMBERS, ...OTHERS];

/** Every place a document of this kind has, known or not, as a path; list entries as 0 and 1. */
export function placesOf(shape: Shape, path: readonly (string | number)[] = []): (string | number)[][] {
  if (shape.type === 'scalar') {
    return shape.kind.base === 'object' || shape.kind.base === 'any' ? [[...path], [...path, 'free']] : [[...path]];
  }
  if (shape.type === 'list') return [[...path], ...[0, 1].flatMap((i) => placesOf(shape.item, [...path, i]))];
  const members = [...shape.members].flatMap(([name, member]) => placesOf(member.shape, [...path, name]));
  const strangers = ['stranger', '__proto__', 'constructor', 'a/b~c'].map((name) => [...path, name]);
  return [[...path], ...members, ...strangers];
}

interface Mutation {
  readonly path: readonly (string | number)[];
  /** JSON text; undefined removes the member. */
  readonly text: string | undefined;
}

/** JSON text for a marked place: the mark is a string no value contains. */
const mark = (index: number) => `\u27e6${index}\u27e7`;

function own(target: object, name: string | number): unknown {
  return Object.hasOwn(target, name) ? (target as Record<string | number, unknown>)[name] : undefined;
}

function put(root: unknown, path: readonly (string | number)[], value: unknown): unknown {
  const [head, ...rest] = path;
  if (head === undefined) return value;
  if (typeof root !== 'object' || root === null) return root;
  const copy = Array.isArray(root) ? [...root] : Object.defineProperties({}, Object.getOwnPropertyDescriptors(root));
  if (Array.isArray(copy) !== (typeof head === 'number')) return root;
  const next = put(own(copy, head), rest, value);
  if (next === undefined && rest.length > 0) return root;
  if (next === undefined && !Array.isArray(copy)) delete (copy as Record<string, unknown>)[head];
  else if (Array.isArray(copy)) copy[Math.min(Number(head), copy.length)] = next ?? null;
  else Object.defineProperty(copy, head, { value: next, enumerable: true, writable: true, configurable: true });
  return copy;
}

function mutated(seed: object, mutations: readonly Mutation[]): string {
  let document: unknown = seed;
  mutations.forEach(({ path, text }, index) => {
    document = put(document, path, text === undefined ? undefined : mark(index));
  });
  const text = JSON.stringify(document) ?? 'null';
  return mutations.reduce((whole, mutation, index) => {
    return whole.replaceAll(JSON.stringify(mark(index)), () => mutation.text ?? 'null');
  }, text);
}

/** JSON texts of a document's kind: good ones, and ones with up to four places changed, removed or added. */
export function documentTexts(name: DocumentName): fc.Arbitrary<string> {
  const places = placesOf(documentShape(name));
  const mutation: fc.Arbitrary<Mutation> = fc.record({
    path: fc.constantFrom(...places),
    text: fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom<string | undefined>(...VALUES) },
      { weight: 1, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.string({ unit: 'grapheme' }).map(quoted) },
      { weight: 1, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }).map(String) },
    ),
  });
  return fc
    .tuple(fc.constantFrom(...DOCUMENT_SEEDS[name]), fc.array(mutation, { maxLength: 4 }))
    .map(([seed, mutations]) => mutated(seed, mutations));
}

/** Every seed with one place removed, and every value of the pool at that place in one seed or another. */
export function singleChanges(seeds: readonly object[], path: readonly (string | number)[]): string[] {
  const removed = seeds.map((seed) => mutated(seed, [{ path, text: undefined }]));
  const replaced = VALUES.map((text, index) => mutated(seeds[index % seeds.length] ?? {}, [{ path, text }]));
  return [...new Set([...removed, ...replaced])];
}

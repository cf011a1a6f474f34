import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isStorableText } from './text.ts';
import { entriesOfThrown, errorEntry } from './thrown.ts';

test('members of the thrown error are taken over', () => {
  const error = Object.assign(new Error('locked'), {
    code: 'INVENTORY_LOCK',
    recoverable: true,
    field: 'edition_ids[45:50]',
    source_agent_id: 'art-agt-003',
    retry_after_ms: 5_000,
  });
  expect(entriesOfThrown(error, false)).toEqual([
    {
      code: 'INVENTORY_LOCK',
      message: 'locked',
      recoverable: true,
      field: 'edition_ids[45:50]',
      source_agent_id: 'art-agt-003',
      retry_after_ms: 5_000,
    },
  ]);
});

test('without a usable code the class names the error', () => {
  class HTTPStatusError extends Error {
    override name = 'HTTPStatusError';
    code = 503;
  }
  const codes = [
    new TypeError('a'),
    new HTTPStatusError('b'),
    new Error('c'),
    'text',
    undefined,
    { code: 'no spaces please' },
  ];
  expect(codes.map((thrown) => entriesOfThrown(thrown, true)[0]?.code)).toEqual([
    'TYPE_ERROR',
    'HTTP_STATUS_ERROR',
    'UNHANDLED_ERROR',
    'UNHANDLED_ERROR',
    'UNHANDLED_ERROR',
    'UNHANDLED_ERROR',
  ]);
});

test('anything thrown has a message', () => {
  const messages = ['boom', '', undefined, null, 7, { a: 1 }, Symbol('s'), new Error('')].map(
    (thrown) => entriesOfThrown(thrown, true)[0]?.message,
  );
  expect(messages).toEqual([
    'boom',
    'thrown: ""',
    'thrown: undefined',
    'thrown: null',
    'thrown: 7',
    'thrown: {"a":1}',
    'thrown: Symbol(s)',
    'Error',
  ]);
});

test('an aggregate brings its errors along, at most twenty entries in all', () => {
  const entries = entriesOfThrown(new AggregateError([new RangeError('x'), 'y'], 'two things'), false);
  expect(entries.map(({ code, message }) => [code, message])).toEqual([
    ['AGGREGATE_ERROR', 'two things'],
    ['RANGE_ERROR', 'x'],
    ['UNHANDLED_ERROR', 'y'],
  ]);
  expect(entriesOfThrown(new AggregateError(new Array(100).fill('z'), 'many'), false)).toHaveLength(20);
});

test('a thrown error whose members throw still gives an entry', () => {
  const hostile = new Proxy(new Error('x'), {
    get() {
      throw new Error('no');
    },
  });
  expect(entriesOfThrown(hostile, false)[0]).toMatchObject({ code: 'UNHANDLED_ERROR', recoverable: false });
});

test('long and unstorable messages are cut between characters and made storable', () => {
  const [entry] = entriesOfThrown(new Error(`\0${'😀'.repeat(5_000)}`), false);
  expect([...(entry?.message ?? '')]).toHaveLength(4_000);
  expect(isStorableText(entry?.message ?? '')).toBe(true);
});

test('whatever the parts, the entry keeps the rules of the envelope', () => {
  fc.assert(
    fc.property(fc.anything(), fc.anything(), fc.anything(), (code, message, field) => {
      const entry = errorEntry({ code, message: String(message === null ? '' : typeof message), field } as never, true);
      expect(entry.code).toMatch(/^[A-Za-z][A-Za-z0-9_.:-]{0,99}$/);
      expect(entry.message.length).toBeGreaterThan(0);
      expect(entry.field === undefined || typeof entry.field === 'string').toBe(true);
    }),
  );
});

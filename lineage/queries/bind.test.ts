import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { QueryRefused } from '../graph/fault.ts';
import { bindQuery, bindRaw } from './bind.ts';
import { namedQueries } from './catalogue.ts';
import { parametersOf } from './tokens.ts';

const TENANT = '11111111-1111-4111-8111-111111111111';
const ID = '0e369b9f-2b52-4b6f-9f3c-0d5a2f6f4c11';

const refusal = (work: () => unknown): QueryRefused => {
  try {
    work();
  } catch (error) {
    if (error instanceof QueryRefused) return error;
    throw error;
  }
  throw new Error('it was not refused');
};
const bound = (name: string, raw: Record<string, unknown>) => bindQuery(name, raw, TENANT).parameters;

describe('a named query', () => {
  test('gets every parameter that its text names, and no other', () => {
    const values = { uuid: ID, text: 'corr', time: '2026-05-20T09:00:00Z', depth: 3 };
    for (const { name, parameters } of namedQueries) {
      const raw = Object.fromEntries(parameters.map((parameter) => [parameter.name, values[parameter.type]]));
      const { text, parameters: given } = bindQuery(name, raw, TENANT);
      expect(Object.keys(given).sort(), name).toEqual(parametersOf(text).sort());
      expect(given['tenant_id']).toBe(TENANT);
    }
  });

  test('fills in what may be left out', () => {
    expect(bound('why', { outcome_id: ID })).toEqual({ outcome_id: ID, max_depth: 20, tenant_id: TENANT });
    expect(bound('root-causes', { from_time: null })).toMatchObject({ from_time: null, to_time: null, max_depth: 20 });
  });

  test('takes texts as the command line has them', () => {
    expect(bound('why', { outcome_id: ID.toUpperCase(), max_depth: '64' })).toMatchObject({
      outcome_id: ID,
      max_depth: 64,
    });
    expect(bound('correlation', { correlation_id: 7 })).toMatchObject({ correlation_id: '7' });
  });

  test.each(['-1', '1.5', '1000000', '65', 'ten', '', ' 1', '1e1', '0x10', -1, 1.5, 65, Number.NaN, true, [1], {}])(
    'refuses a depth of %j with its path and what was expected',
    (max_depth) => {
      const { code, message } = refusal(() => bindQuery('why', { outcome_id: ID, max_depth }, TENANT));
      expect(code).toBe('query_invalid');
      expect(message).toContain('/max_depth must be a whole number from 0 to 64');
    },
  );

  test.each([0, 1, 20, 64, '0', '064'.slice(1)])('takes a depth of %j', (max_depth) => {
    expect(bound('why', { outcome_id: ID, max_depth })['max_depth']).toBe(Number(max_depth));
  });

  test.each([
    ['2026-05-20T09:00:00Z', '2026-05-20T09:00:00.000000Z'],
    ['2026-05-20t09:00:00.5z', '2026-05-20T09:00:00.500000Z'],
    ['2026-05-20T00:30:00.123456-04:00', '2026-05-20T04:30:00.123456Z'],
    ['2026-05-20T00:30:00+05:30', '2026-05-19T19:00:00.000000Z'],
    ['2026-05-20', '2026-05-20T00:00:00.000000Z'],
  ])('reads the time %s', (from_time, expected) => {
    expect(bound('root-causes', { from_time })['from_time']).toBe(expected);
  });

  test.each([
    '2026-02-30T00:00:00Z',
    '2026-05-20T24:00:00Z',
    '2026-05-20T23:59:60Z',
    '2026-05-20T09:00Z',
    '2026-05-20T09:00:00',
    '2026-05-20T09:00:00.1234567Z',
    '2026-05-20T09:00:00+99:00',
    '+010000-01-01T00:00:00Z',
    '1969-12-31T23:59:59Z',
    'yesterday',
    1_716_200_000,
  ])('refuses the time %s', (from_time) => {
    const { code, message } = refusal(() => bindQuery('root-causes', { from_time }, TENANT));
    expect(code).toBe('query_invalid');
    expect(message).toMatch(/^\/from_time must be a time like 2026/);
  });

  test('refuses a window that ends before it starts', () => {
    const window = { from_time: '2026-05-21', to_time: '2026-05-20' };
    expect(refusal(() => bindQuery('root-causes', window, TENANT)).message).toMatch(/^\/to_time must not be before/);
    bound('root-causes', { from_time: '2026-05-20', to_time: '2026-05-20' });
  });

  test.each(['', 'x', '{0e369b9f-2b52-4b6f-9f3c-0d5a2f6f4c11}', '0e369b9f2b524b6f9f3c0d5a2f6f4c11', 5, "' or 1=1"])(
    'refuses the id %j, of the outcome and of the tenant',
    (id) => {
      expect(refusal(() => bindQuery('why', { outcome_id: id }, TENANT)).message).toMatch(
        /^\/outcome_id must be a UUID/,
      );
      expect(refusal(() => bindQuery('why', { outcome_id: ID }, id as string)).message).toMatch(/^\/tenant_id must be/);
    },
  );

  test('refuses what is missing, what it does not have, and a name that there is not', () => {
    expect(refusal(() => bindQuery('why', {}, TENANT)).message).toContain('/outcome_id is missing');
    expect(refusal(() => bindQuery('correlation', { correlation_id: '  ' }, TENANT)).message).toContain(
      '/correlation_id',
    );
    expect(refusal(() => bindQuery('why', { outcome_id: ID, depth: 3 }, TENANT)).message).toMatch(
      /^\/depth is no parameter of why: it has outcome_id, max_depth/,
    );
    expect(refusal(() => bindQuery('why', { outcome_id: ID, tenant_id: ID }, TENANT)).message).toContain('/tenant_id');
    expect(refusal(() => bindQuery('who', {}, TENANT)).message).toContain(
      'why, impact, correlation, path, governed, root-causes',
    );
    expect(refusal(() => bindQuery('__proto__', {}, TENANT)).code).toBe('query_invalid');
  });
});

describe('a query of one’s own', () => {
  const text = 'MATCH (o:Outcome {tenant_id: $tenant_id}) RETURN o.status = $status';

  test('gets the parameters that it names', () => {
    expect(bindRaw(text, { status: 'failure' }, TENANT).parameters).toEqual({ tenant_id: TENANT, status: 'failure' });
    expect(bindRaw('RETURN 1', {}, TENANT).parameters).toEqual({});
    expect(() => bindRaw('RETURN $tenant_id', { tenant_id: 'another' }, TENANT)).toThrow(/tenant that was asked for/);
    expect(bindRaw("RETURN '$x' // $y", {}, null).parameters).toEqual({});
    expect(bindRaw('RETURN $`a b`', { 'a b': 1 }, null).parameters).toEqual({ 'a b': 1 });
  });

  test('is refused without a value, with one too many, or without a bound', () => {
    expect(refusal(() => bindRaw(text, {}, TENANT)).message).toContain('asks for $status');
    expect(refusal(() => bindRaw(text, { status: 'x' }, null)).message).toContain('asks for $tenant_id');
    expect(refusal(() => bindRaw('RETURN 1', { status: 'x' }, TENANT)).message).toContain('does not ask for $status');
    expect(refusal(() => bindRaw('MATCH (a)-[*]->(b) RETURN b', {}, TENANT)).code).toBe('query_unbounded');
  });
});

describe('the files', () => {
  const folder = import.meta.dirname;

  test('are the named queries and no other', () => {
    const files = readdirSync(folder).filter((file) => file.endsWith('.cypher'));
    expect(files.sort()).toEqual(namedQueries.map((query) => `${query.name}.cypher`).sort());
  });

  test.each(namedQueries.map((query) => [query.name, query] as const))(
    '%s says what it is for, wants and gives',
    (_, query) => {
      const head = query.text.slice(0, query.text.indexOf('\nMATCH'));
      const lines = head.split('\n');
      expect(lines.every((line) => line.startsWith('//'))).toBe(true);
      expect(lines[0]).toBe(`// ${query.name}: ${query.summary}.`);
      const stated = [...head.matchAll(/^\/\/ {3}\$(\w+) +(\S[^,;]*)(?:, (required|default [^;]+))?;/gm)].map((match) =>
        match.slice(1, 4),
      );
      const types = { uuid: 'UUID', text: 'text', time: 'time (RFC 3339)', depth: 'integer from 0 to 64' };
      expect(stated).toEqual([
        ['tenant_id', 'UUID', 'required'],
        ...query.parameters.map(({ name, type, required, default: value }) => [
          name,
          types[type],
          required ? 'required' : `default ${value}`,
        ]),
      ]);
      expect(
        /^\/\/ Columns: ([\s\S]*?)\.\n/m
          .exec(`${head}\n`)?.[1]
          ?.replace(/\n\/\/ +/g, ' ')
          .split(', '),
      ).toEqual(query.columns);
    },
  );

  test.each(namedQueries.map((query) => [query.name, query.text]))(
    '%s names the tenant at every outcome that it matches',
    (_, text) => {
      const starts = text.match(/^MATCH \([^)]*\)/gm) ?? [];
      const ends = text.match(/(?<=[-\]>])\(\w*[^)]*\)/g) ?? [];
      expect(starts.length).toBeGreaterThan(0);
      for (const node of [...starts, ...ends])
        expect(node).toMatch(/^(MATCH )?\(\w*:Outcome \{([\w: $]+, )?tenant_id: \$tenant_id\}\)$/);
    },
  );
});

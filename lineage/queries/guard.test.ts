import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { QueryRefused } from '../graph/fault.ts';
import { guardQuery } from './guard.ts';

const SEED = 20_261_130;
console.log(`guard.test.ts: fast-check seed ${SEED}`);
const check = (property: fc.IProperty<unknown[]>) =>
  fc.assert(property as fc.IProperty<unknown>, { seed: SEED, numRuns: 500 });

function refused(text: string): QueryRefused | undefined {
  try {
    guardQuery(text);
    return undefined;
  } catch (error) {
    if (error instanceof QueryRefused) return error;
    throw error;
  }
}

const UNBOUNDED = [
  '-[*]->',
  '<-[*]-',
  '-[r:INVOKED*]-',
  '-[:INVOKED|ESCALATED_TO*2..]->',
  '-[ r : INVOKED * 2 .. ]->',
  '-[* {tenant_id: "x"}]->',
  '-[*..$depth]->',
  '-[where*]->',
  '-[:WHERE*]->',
  '-[e:INVOKED* SHORTEST]->',
  '-[e:INVOKED* ALL SHORTEST 1..]->',
  '-[e:INVOKED* (r, n | WHERE r.x = 1)]->',
  '-->+',
  '-->*',
  '--+',
  '<--*',
  '-[:INVOKED]->+',
  '<-[:INVOKED]-+',
  '-[r:INVOKED WHERE r.a > 1]->*',
  '-->{1,}',
  '-->{,}',
  '-[:INVOKED]->{ 0 , }',
  '\u2013[*]\u2013>',
  '\\u002d[\\u002a]->',
];
const GROUPS = ['((a)-->(b))+', '((a)<-[:INVOKED]-(b) WHERE a.x > b.x)*', '((a)-[r]-(b)){2,}', '(p = (a)-->(b))+'];
const DEEP = [
  '-[*1..65]->',
  '-[*65]->',
  '-[*..100000]->',
  '-->{1,65}',
  '-->{65}',
  '-[*1..0x41]->',
  '-[*1..1_000]->',
  '-[*1..1e3]->',
];
const BOUNDED = [
  '-[*1..64]->',
  '-[*..20]-',
  '-[*3]-',
  '-[e:INVOKED* SHORTEST 1..20 {tenant_id: $tenant_id}]->',
  '-[e:INVOKED*1..20 (r, n | WHERE r.x * 2 > 1)]->',
  '-->{1,64}',
  '-->{,5}',
  '-->{3}',
  '-[:INVOKED]->{0,20}',
  '-[r:INVOKED WHERE r.weight * 2 > r.a + 1]->',
  '-->',
];
const HARMLESS = [
  'RETURN *',
  'MATCH (n) RETURN count(*) * 2, (n.a) + (n.b), [1, 2] + [3], n {.*}',
  'MATCH (n) RETURN (sum(n.a) - sum(n.b)) * n.factor, (n.a - n.b) * 100.0',
  'MATCH (n)-->(m) WHERE n.x > +1 AND n.x <-1 RETURN (n.x)*(m.x)',
  'MATCH (n) RETURN [x IN range(1, 5) | x * 2], n.list[2 * 3], -[1][0]',
  'MATCH (n) WHERE EXISTS { (n)-->() } RETURN COUNT { (n)-->() } + 1, {a: 1}',
  'RETURN \'-[*]->\', "-->+", `-[*]->`',
  'RETURN 1 // -[*]->\n + 2 /* ((a)-->(b))+ */',
  'MATCH (a)-[r:INVOKED WHERE r.a * r.b > 1]->(b) RETURN b',
  'MATCH (a) CALL (a) { MATCH (a)-->(b) RETURN b } RETURN b',
];

describe('a path without an upper bound', () => {
  test.each(UNBOUNDED)('%s is refused', (path) => {
    expect(refused(`MATCH (a)${path}(b) RETURN b`)).toMatchObject({ code: 'query_unbounded' });
  });

  test.each(GROUPS)('%s is refused', (group) => {
    for (const text of [
      `MATCH (s)${group}(e) RETURN e`,
      `MATCH ${group} RETURN 1`,
      `MATCH p = ${group} WHERE true RETURN p`,
    ]) {
      expect(refused(text), text).toMatchObject({ code: 'query_unbounded' });
    }
  });

  test('is told what to write instead', () => {
    expect(refused('MATCH (a)-[:INVOKED*]->(b) RETURN b')?.message).toMatch(
      /\* has none.*at most 64, e\.g\. \*1\.\.20/,
    );
    expect(refused('MATCH (a)-->+(b) RETURN b')?.message).toMatch(/>\+ has none.*>\{1,20\}/);
    expect(refused('MATCH (a)-->{2,}(b) RETURN b')?.message).toMatch(/\{2,\} has none.*\{1,20\}/);
  });
});

test.each(DEEP)('a bound above 64 is refused: %s', (path) => {
  const refusal = refused(`MATCH (a)${path}(b) RETURN b`);
  expect(refusal).toMatchObject({ code: 'query_unbounded' });
  expect(refusal?.message).toContain('more than 64 links');
});

test.each(BOUNDED)('a bound of at most 64 passes: %s', (path) => {
  guardQuery(`MATCH (a)${path}(b) RETURN b`);
  guardQuery(`MATCH ((x)${path}(y)) RETURN 1`);
});

test.each(HARMLESS)('what is no path passes: %s', (text) => guardQuery(text));

const spoken = fc.constantFrom(...UNBOUNDED.filter((path) => !path.includes('\\u')), ...GROUPS);
const blank = fc.constantFrom(' ', '\n', '\t', '/* -- */', '// [\n', '/* ** */ ', '  ');

describe('wherever it stands', () => {
  test('in a string, a comment or a name it is no path', () => {
    const hidden = fc.tuple(spoken, fc.constantFrom("'", '"', '`', '/*', '//')).map(([path, how]) => {
      if (how === '/*') return `/* ${path} */ 1`;
      if (how === '//') return `// ${path}\n1`;
      if (how === '`') return `n.\`${path}\``;
      return `${how}it\\${how}s \\\\ ${path.replaceAll(how, '')}${how}`;
    });
    check(
      fc.property(fc.array(hidden, { minLength: 1, maxLength: 5 }), (parts) => {
        expect(refused(`MATCH (n)-[*1..3]->(m) RETURN ${parts.join(', ')}`)).toBeUndefined();
      }),
    );
  });

  test('white space, comments and harmless neighbours do not hide it', () => {
    check(
      fc.property(fc.array(blank, { minLength: 9, maxLength: 9 }), fc.constantFrom(...HARMLESS), (blanks, before) => {
        const path = ['(a)', '-', '[', ':', 'INVOKED', '*', ']', '-', '>', '(b)']
          .map((piece, n) => piece + (blanks[n] ?? ''))
          .join('');
        expect(refused(`${before}\nMATCH ${path} RETURN b`)).toMatchObject({ code: 'query_unbounded' });
      }),
    );
  });

  test('behind any text that ends its strings and comments, it is seen', () => {
    const closed = fc.oneof(
      fc.string({ maxLength: 20 }).map((text) => `'${text.replace(/[\\'\p{Cs}]/gu, '')}'`),
      fc.string({ maxLength: 20 }).map((text) => `"${text.replace(/[\\"\p{Cs}]/gu, '')}"`),
      fc.string({ maxLength: 20 }).map((text) => `\`${text.replaceAll('`', '``')}\``),
      fc.string({ maxLength: 20 }).map((text) => `/*${text.replaceAll('*/', '').replaceAll('*', '')}*/`),
      fc.string({ maxLength: 20 }).map((text) => `//${text.replace(/[\r\n]/g, '')}\n`),
    );
    check(
      fc.property(fc.array(closed, { maxLength: 6 }), spoken, (parts, path) => {
        const text = path.startsWith('(') ? path : `(a)${path}(b)`;
        expect(
          refused(`WITH ${parts.map((part) => `${part} , `).join('')} 1 AS x MATCH ${text} RETURN 1`),
        ).toMatchObject({ code: 'query_unbounded' });
      }),
    );
  });

  test('a unicode escape neither makes nor hides one', () => {
    expect(refused("RETURN '\\u0027 MATCH (a)-[*]->(b) RETURN b //'")).toMatchObject({ code: 'query_unbounded' });
    expect(refused("RETURN '\\u00e9'")).toBeUndefined();
  });
});

describe('a procedure', () => {
  test.each([
    'CALL apoc.load.json("http://169.254.169.254/latest/meta-data") YIELD value RETURN value',
    'MATCH (n) CALL apoc.export.csv.all("all.csv", {}) YIELD file RETURN file',
    'CALL dbms.listConnections()',
    'call dbms . listConfig',
    'OPTIONAL CALL db.stats.retrieve("GRAPH COUNTS") YIELD data RETURN data',
    'CALL `apoc`.`load`.`json`("x")',
    'CALL `apoc.load.json`("x")',
    'CALL /* db.labels */ apoc.cypher.run("RETURN 1", {})',
    'CALL { CALL dbms.listConfig() YIELD name RETURN name } RETURN name',
    'CALL \\u0064bms.listConfig()',
    'CALL db.Labels()',
  ])('%s is refused', (text) => {
    expect(refused(text)).toMatchObject({ code: 'query_writes' });
  });

  test('is refused by name, with those that may be called', () => {
    expect(refused('CALL apoc.load.json("x")')?.message).toMatch(/may call db\.labels, .*, and not apoc\.load\.json$/);
  });

  test.each([
    'CALL db.labels()',
    'CALL db.labels() YIELD label RETURN label ORDER BY label',
    'call `db` . relationshipTypes',
    'CALL db.propertyKeys YIELD propertyKey RETURN count(*)',
    'CALL db.schema.visualization()',
    'CALL show_tables() RETURN *',
    'MATCH (call:Outcome) RETURN call.status, [call, 1], {call: call.status} AS called',
    'MATCH (n) WITH n.call AS call WHERE n.x = call RETURN call ORDER BY n.x',
    "RETURN 'CALL dbms.listConfig()' // CALL dbms.listConfig()",
  ])('%s passes', (text) => guardQuery(text));
});

// In processor time: on a busy machine the clock tells of others.
test('any text is judged in no time, and never breaks the guard', () => {
  check(
    fc.property(fc.string({ maxLength: 200, unit: fc.constantFrom(...'()[]{}-<>*+.,:|\'"`/\\ 19aW$\n') }), (text) => {
      const spent = process.cpuUsage();
      refused(text);
      expect(process.cpuUsage(spent).user / 1000).toBeLessThan(200);
    }),
  );
  const long = `MATCH (a)${'-[:INVOKED*1..2]->()'.repeat(20_000)} RETURN '${'x'.repeat(500_000)}`;
  const spent = process.cpuUsage();
  expect(refused(long)).toBeUndefined();
  expect(process.cpuUsage(spent).user / 1000).toBeLessThan(5_000);
});

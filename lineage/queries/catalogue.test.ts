import { readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { namedQueries } from './catalogue.ts';
import { queryText } from './texts.ts';
import { parametersOf, tokensOf } from './tokens.ts';

/** The texts of the embedded graph, by the named query whose steps they are. */
const STEPS: Record<(typeof namedQueries)[number]['name'], string[]> = {
  why: ['causes', 'outcomes'],
  impact: ['effects', 'outcomes'],
  correlation: ['correlation'],
  path: ['causes', 'outcomes'],
  governed: ['governed'],
  'root-causes': ['failures', 'failed-causes', 'outcomes'],
  'broken-impact': ['broken', 'next-effects', 'judged'],
};
const steps = [...new Set(Object.values(STEPS).flat())].sort();
const embedded = (name: string) => queryText(`embedded/${name}`);

describe('the catalogue', () => {
  test('has each query once, with a summary, and no parameter or column twice or undescribed', () => {
    const unique = (names: readonly string[]) => expect(new Set(names).size).toBe(names.length);
    unique(namedQueries.map(({ name }) => name));
    for (const { name, summary, parameters, columns } of namedQueries) {
      expect(summary, name).toMatch(/\w{3,} .+/);
      unique(parameters.map((parameter) => parameter.name));
      unique(columns);
      for (const { about } of parameters) expect(about, name).toMatch(/\w{3,}/);
    }
  });

  test.each(namedQueries.map((query) => [query.name, query] as const))('%s uses what it declares', (_, query) => {
    const declared = ['tenant_id', ...query.parameters.map(({ name }) => name)];
    expect(parametersOf(query.text).sort()).toEqual(declared.sort());
  });

  test('has a text for the embedded graph wherever one is asked for, and no stray file', () => {
    expect(Object.keys(STEPS).sort()).toEqual(namedQueries.map(({ name }) => name).sort());
    const files = readdirSync(`${import.meta.dirname}/embedded`).filter((file) => file.endsWith('.cypher'));
    expect(files.sort()).toEqual(steps.map((name) => `${name}.cypher`));
  });
});

describe.each(steps)('the embedded graph’s %s', (name) => {
  test('says what it is, and states the parameters that it uses', () => {
    const [first = '', ...rest] = embedded(name).split('\n');
    expect(first).toMatch(new RegExp(`^// ${name}: \\S+`));
    const stated = rest.find((line) => line.startsWith('// Parameters: ')) ?? '';
    expect(parametersOf(stated.slice(2)).sort()).toEqual(parametersOf(embedded(name)).sort());
    expect(rest.some((line) => line.startsWith('// Columns: '))).toBe(true);
  });

  test('binds every outcome that it matches, and every link with a name, to the tenant', () => {
    const code = embedded(name).replace(/^\/\/.*$/gm, '');
    for (const part of code.split(/\bUNION ALL\b/)) {
      const named = [...part.matchAll(/\((\w+):Outcome(?: \{([^}]*)\})?\)|\[(\w+):[^\]{]*(?:\{([^}]*)\})?\]/g)];
      expect(named.length).toBeGreaterThan(0);
      for (const [, node, nodeKeys = '', link, linkKeys = ''] of named) {
        const inside = `${nodeKeys}${linkKeys}`.includes('tenant_id: $tenant_id');
        expect(inside || part.includes(`${node ?? link}.tenant_id = $tenant_id`), `${node ?? link} in ${part}`).toBe(
          true,
        );
      }
      // No outcome without a name and a label, no link with neither a name nor the tenant.
      expect(part).not.toMatch(/\(:|\(\)|\[\]|\[\*|\[:[^\]{]*\]/);
    }
    expect(tokensOf(code).some(({ text }) => /^(create|merge|set|delete|detach|drop|call)$/i.test(text))).toBe(false);
  });
});

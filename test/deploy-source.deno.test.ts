// The functions as the repository holds them, on Deno: type-checked there, on the same versions of the same packages, and
// held to the same suite as on Node.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { functionNames } from './support/deno-functions.ts';
import { runFunctionsSuite } from './support/functions-suite.ts';
import { mustRun, ROOT, tool } from './support/tools.ts';

const names = functionNames(ROOT);
const readJson = (path: string) => JSON.parse(readFileSync(join(ROOT, path), 'utf8'));

test('every function has the same import map', () => {
  const [first, ...others] = names.map((name) => readJson(`functions/${name}/deno.json`));
  for (const other of others) expect(other).toEqual(first);
});

test('Deno gets the versions that Node runs', () => {
  const { imports } = readJson(`functions/${names[0]}/deno.json`) as { imports: Record<string, string> };
  for (const target of Object.values(imports)) {
    const [, name, version] = /^npm:((?:@[^/]+\/)?[^@/]+)@([^/]+)/.exec(target) ?? [];
    expect(`${name} ${version}`).toBe(`${name} ${readJson(`node_modules/${name}/package.json`).version}`);
  }
});

test('every function type-checks on Deno', async () => {
  const files = names.map((name) => `functions/${name}/index.ts`);
  await mustRun(tool('deno'), ['check', '--no-lock', '--config', `functions/${names[0]}/deno.json`, ...files]);
}, 180_000);

test('the functions’ suite passes on Deno', async () => {
  const result = await runFunctionsSuite({ root: ROOT, report: 'functions-deno' });
  expect(result.failures).toEqual([]);
  expect(result.passed).toBeGreaterThan(0);
}, 600_000);

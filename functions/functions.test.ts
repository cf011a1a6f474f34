import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkDocument, checkEnvelope, type DocumentName } from '../src/contract/index.ts';
import { EXAMPLES } from './_shared/examples.ts';
import { FUNCTION_DEFINITIONS, FUNCTIONS } from './index.ts';

const HERE = import.meta.dirname;
const folders = readdirSync(HERE).filter((name) => existsSync(join(HERE, name, 'index.ts')));
const importsOf = (name: string): Record<string, string> =>
  JSON.parse(readFileSync(join(HERE, name, 'deno.json'), 'utf8')).imports;

test('every folder with an entry point is a function here, and the other way round', () => {
  expect(Object.keys(FUNCTIONS).sort()).toEqual(folders.sort());
  expect(FUNCTION_DEFINITIONS.map((one) => one.name)).toEqual(Object.keys(FUNCTIONS));
});

describe('the import maps', () => {
  test.each(folders)('of %s is that of all', (name) => {
    expect(importsOf(name)).toEqual(importsOf('outcomes'));
  });

  // What Deno fetches must be what the tests here ran with.
  test.each(Object.entries(importsOf('outcomes')))('%s is pinned to what is installed', (_, target) => {
    const [, name, version] = /^npm:(@?[^@]+)@([^/]+)/.exec(target) ?? [];
    const folder = join(HERE, '..', 'node_modules', name ?? '');
    expect(createRequire(import.meta.url)(join(folder, 'package.json')).version).toBe(version);
  });
});

describe('the examples shown are accepted', () => {
  const { outcome, definition, ...rest } = EXAMPLES;
  const documents: [DocumentName, unknown][] = [
    ['source_definition', { ...definition, source_type: 'agent', source_id: 'a', version: '1.0.0' }],
    ['invocation_start', rest.invocation],
    ['execution_start', rest.execution],
    ['tool_call', { ...rest.toolCall, invocation_id: rest.invocation.invocation_id }],
    ['event', rest.event],
    ['policy_decision', rest.decision],
    ['link', rest.link],
  ];
  test.each(documents)('%s', (name, document) => {
    expect(checkDocument(name, document)).toMatchObject({ ok: true });
  });
  test('envelope', () => {
    expect(checkEnvelope(outcome.outcome)).toMatchObject({ ok: true });
  });
});

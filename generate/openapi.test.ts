import { describe, expect, test } from 'vitest';
import { FUNCTION_DEFINITIONS } from '../functions/index.ts';
import { openapiFiles } from './openapi.ts';

const files = await openapiFiles();
// biome-ignore lint/suspicious/noExplicitAny: the documents are looked at loosely
const documents = files.map(({ path, text }) => ({ path, document: JSON.parse(text) as any }));
const merged = documents.find(({ path }) => path.endsWith('outcome-ledger.json'))?.document;

test('one for each function, and one of all', () => {
  const names = [...FUNCTION_DEFINITIONS.map((one) => one.name), 'outcome-ledger'];
  expect(files.map((file) => file.path)).toEqual(names.map((name) => `docs/openapi/${name}.json`));
});

describe.each(documents)('$path', ({ document }) => {
  const operations = Object.entries<Record<string, never>>(document.paths).flatMap(([path, methods]) =>
    // biome-ignore lint/suspicious/noExplicitAny: as above
    Object.entries<any>(methods).map(([method, operation]) => ({ path, method, operation })),
  );

  test('every reference leads somewhere', () => {
    for (const [, pointer] of JSON.stringify(document).matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      const target = (pointer as string).split('/').reduce((at, part) => at?.[part], document);
      expect([pointer, typeof target]).toEqual([pointer, 'object']);
    }
  });

  test('every operation has a name of its own, a description, and says how it refuses', () => {
    const names = operations.map(({ operation }) => operation.operationId);
    expect(new Set(names).size).toBe(names.length);
    for (const { path, operation } of operations) {
      expect([path, operation.summary?.length > 0, operation.description?.length > 0]).toEqual([path, true, true]);
      if (path.endsWith('/health')) continue;
      for (const status of ['401', '403', '422', '500', '503']) {
        expect(Object.keys(operation.responses[status].content)).toEqual(['application/problem+json']);
      }
      for (const parameter of path.match(/(?<=\{)\w+/g) ?? []) {
        expect(operation.parameters).toContainEqual(
          expect.objectContaining({ name: parameter, in: 'path', required: true }),
        );
      }
      if (operation.requestBody) {
        expect(operation.requestBody.content['application/json']).toHaveProperty('example');
      }
    }
  });
});

test('the merged document has the routes of the whole ledger', () => {
  expect(Object.keys(merged.paths)).toEqual(
    expect.arrayContaining([
      '/definitions/{source_type}/{id}/{version}',
      '/invocations',
      '/invocations/batch',
      '/invocations/{invocation_id}/tool-calls',
      '/invocations/{invocation_id}/heartbeat',
      '/outcomes/validate',
      '/policy/decisions',
      '/lineage/outcomes/{outcome_id}/why',
      '/lineage/links',
    ]),
  );
  expect(merged.components.schemas.Envelope.required).toContain('correlation_id');
});

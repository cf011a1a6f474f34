import { describe, expect, test } from 'vitest';
import { readItems } from './batch-body.ts';
import { memberSlices } from './json-slices.ts';

const post = (body: string) =>
  new Request('http://ledger/x', { method: 'POST', body, headers: { 'content-type': 'application/json' } });
const read = (body: string) => readItems(post(body), 3, 0);

describe('the items', () => {
  test('of an object and of a bare array', async () => {
    const items = [
      { ok: true, value: { a: 1 } },
      { ok: true, value: 'x' },
    ];
    expect(await read('{"items": [ {"a":1} , "x" ]}')).toEqual(items);
    expect(await read('[{"a":1},"x"]')).toEqual(items);
  });
  test('are each held to the strict reader alone', async () => {
    const [good, twice, nul] = await read('[{"a":1},{"a":1,"a":2},{"b":"\\u0000"}]');
    expect(good).toEqual({ ok: true, value: { a: 1 } });
    expect(twice).toMatchObject({ ok: false, refusal: { code: 'json_invalid', violations: [{ path: '/a' }] } });
    expect(nul).toMatchObject({ ok: false, refusal: { code: 'json_invalid', violations: [{ path: '/b' }] } });
  });
  test('one too large harms no other', async () => {
    const [good, large] = await read(`[{}, {"a":"${'x'.repeat(1_048_576)}"}]`);
    expect(good?.ok).toBe(true);
    expect(large).toMatchObject({ ok: false, refusal: { code: 'payload_too_large' } });
  });
});

test.each([
  ['not JSON', '[{]', 'json_invalid'],
  ['null', 'null', 'json_invalid'],
  ['text', '"x"', 'json_invalid'],
  ['empty', '', 'json_invalid'],
  ['no items', '{}', 'request_invalid'],
  ['items null', '{"items":null}', 'request_invalid'],
  ['items twice', '{"items":[{}],"items":[{}]}', 'request_invalid'],
  ['items twice, escaped', '{"items":[{}],"item\\u0073":[{}]}', 'request_invalid'],
  ['another member', '{"items":[{}],"x":1}', 'request_invalid'],
  ['none', '[]', 'request_invalid'],
  ['too many', '[1,2,3,4]', 'request_invalid'],
])('%s', async (_, body, code) => {
  await expect(read(body)).rejects.toMatchObject({ code });
});

test('slices keep the text as it was sent', () => {
  expect(memberSlices('{"a" : [1,"]}\\""], "":{"b":","} }')).toEqual([
    { key: 'a', text: '[1,"]}\\""]' },
    { key: '', text: '{"b":","}' },
  ]);
  expect(memberSlices('[]')).toEqual([]);
  expect(memberSlices(' [ 1.0 , {"x":[2]} ] ').map((slice) => slice.text)).toEqual(['1.0', '{"x":[2]}']);
});

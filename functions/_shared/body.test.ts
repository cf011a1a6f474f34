import { describe, expect, test } from 'vitest';
import { MAX_BODY, readBytes, readObject } from './body.ts';

const post = (body: BodyInit | null, headers: Record<string, string> = { 'content-type': 'application/json' }) =>
  new Request('http://ledger/x', { method: 'POST', body, headers, duplex: 'half' } as RequestInit);

/** A body in chunks that has no length and counts how much was asked of it. */
function stream(chunks: number, size: number, failAt = Number.POSITIVE_INFINITY) {
  let sent = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (sent >= failAt) return controller.error(new Error('cut'));
      if (sent >= chunks) return controller.close();
      sent += 1;
      controller.enqueue(new Uint8Array(size).fill(32));
    },
  });
  return { body, sent: () => sent };
}

// B056: the limit holds whatever the length header says.
describe('the limit', () => {
  test.each([
    ['right', { 'content-length': '200' }],
    ['wrong', { 'content-length': '3' }],
    ['missing', {}],
    ['not a number', { 'content-length': 'abc' }],
    ['negative', { 'content-length': '-1' }],
  ])('holds with a length that is %s', async (_, headers) => {
    await expect(readBytes(post('x'.repeat(200), headers as Record<string, string>), 100)).rejects.toMatchObject({
      code: 'payload_too_large',
      status: 413,
    });
  });
  test('stops reading a chunked body soon after it is passed', async () => {
    const endless = stream(1_000_000, 65_536);
    await expect(readBytes(post(endless.body), MAX_BODY)).rejects.toMatchObject({ status: 413 });
    expect(endless.sent()).toBeLessThan(25);
  });
  test('lets the last byte through', async () => {
    expect((await readBytes(post('x'.repeat(100)), 100)).byteLength).toBe(100);
  });
  test('a body that stops half-way is refused', async () => {
    await expect(readBytes(post(stream(9, 10, 2).body), 1000)).rejects.toMatchObject({
      code: 'json_invalid',
      status: 400,
    });
  });
});

// B050: what is not an object is a 400, never a 500.
describe('the document', () => {
  test.each([
    ['empty', ''],
    ['null', 'null'],
    ['array', '[]'],
    ['text', '"x"'],
    ['number', '1'],
    ['cut off', '{"a":'],
    ['two', '{} {}'],
    ['key twice', '{"a":1,"\\u0061":2}'],
    ['NUL', '{"a":"\\u0000"}'],
    ['half a pair', '{"a":"\\ud83d"}'],
    ['not UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
  ])('%s', async (_, body) => {
    await expect(readObject(post(body as BodyInit))).rejects.toMatchObject({ code: 'json_invalid', status: 400 });
  });
  test('keeps __proto__ and ignores a byte order mark', async () => {
    const body = await readObject(post('\ufeff{"__proto__":{"a":1}}'));
    expect(Object.keys(body)).toEqual(['__proto__']);
  });
  test('names the path', async () => {
    await expect(readObject(post('{"a":{"b":1,"b":2}}'))).rejects.toMatchObject({ violations: [{ path: '/a/b' }] });
  });
  test.each([
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/problem+json',
    'APPLICATION/JSON',
  ])('%s is JSON', async (type) => {
    expect(await readObject(post('{}', { 'content-type': type }))).toEqual({});
  });
  test.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonx',
    'application/json; charset=utf-16',
    'application/json; charset="latin1"',
    'application/json; charset=utf-8; charset=utf-7',
  ])('%s is not', async (type) => {
    await expect(readObject(post('{}', { 'content-type': type }))).rejects.toMatchObject({ status: 415 });
  });
  test.each([
    ['identity', true],
    ['gzip', false],
    ['identity, br', false],
  ])('content encoding %s is read: %s', async (encoding, read) => {
    const body = readObject(post('{}', { 'content-type': 'application/json', 'content-encoding': encoding }));
    if (read) expect(await body).toEqual({});
    else await expect(body).rejects.toMatchObject({ code: 'unsupported_media_type', status: 415 });
  });
});

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createObjectStore, type ObjectStore } from './object-store.ts';

// A real server, whose answers the tests choose.
const KEY = 'sb_secret_nobody-may-read-this';
let server: Server;
let store: ObjectStore;
let url: string;
let answer: (request: IncomingMessage, response: ServerResponse) => void;
let came: { method?: string; url?: string; headers: IncomingMessage['headers']; body: Buffer };

beforeAll(async () => {
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method, url: path, headers } = request;
    came = { ...(method && { method }), ...(path && { url: path }), headers, body: Buffer.concat(chunks) };
    answer(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  store = createObjectStore({ url, bucket: 'artifacts', key: KEY });
});
afterAll(() => {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(resolve));
});

const json = (status: number, body: unknown) => (_: IncomingMessage, response: ServerResponse) =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

test('puts bytes under their key, the same again too', async () => {
  answer = json(200, { Key: 'artifacts/t/h' });
  await store.put('t/h', new Uint8Array([0, 1, 255]));
  expect(came).toMatchObject({ method: 'POST', url: '/storage/v1/object/artifacts/t/h' });
  expect(came.headers).toMatchObject({ 'x-upsert': 'true', apikey: KEY, authorization: `Bearer ${KEY}` });
  expect([...came.body]).toEqual([0, 1, 255]);
});

test('signs a URL for some seconds', async () => {
  answer = json(200, { signedURL: '/object/sign/artifacts/t/h?token=x' });
  expect(await store.signedUrl('t/h', 60)).toBe(`${url}/storage/v1/object/sign/artifacts/t/h?token=x`);
  expect(JSON.parse(came.body.toString())).toEqual({ expiresIn: 60 });
});

describe('a store that does not do it is not available, and nothing says the key', () => {
  const redirected = (_: IncomingMessage, response: ServerResponse) =>
    response.writeHead(307, { location: `${url}/elsewhere` }).end();
  test.each<[string, typeof answer, string]>([
    ['a refusal', json(400, { statusCode: '404', error: 'Bucket not found', message: KEY }), '400 Bucket not found'],
    ['a page', (_, response) => response.writeHead(502).end(`<html>${KEY}</html>`), '502'],
    ['a redirect', redirected, '307'],
    ['a cut connection', (request) => request.socket.destroy(), 'was not reached (UND_ERR_SOCKET)'],
  ])('%s', async (_, behaviour, words) => {
    answer = behaviour;
    const refusal = await store.put('t/h', new Uint8Array([1])).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ code: 'object_store_unavailable', status: 503, retryAfter: 1 });
    expect(String((refusal as Error).cause)).toContain(words);
    expect(JSON.stringify(refusal) + String((refusal as Error).cause)).not.toContain(KEY);
    expect(came.url).not.toContain('elsewhere');
  });

  test('an answer without a URL', async () => {
    for (const body of [{}, { signedURL: 7 }, { signedURL: 'https://elsewhere.example/x' }, null]) {
      answer = json(200, body);
      await expect(store.signedUrl('t/h', 60)).rejects.toMatchObject({ code: 'object_store_unavailable' });
    }
  });
});

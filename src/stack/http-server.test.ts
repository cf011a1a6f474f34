import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { type FetchApp, type HttpServer, listenOn } from './http-server.ts';

let server: HttpServer | undefined;
afterEach(() => server?.close());

const echo: FetchApp = {
  async fetch(request) {
    const { pathname, search } = new URL(request.url);
    return Response.json({ method: request.method, path: pathname + search, body: await request.text() });
  },
};

async function open(functions: Record<string, FetchApp>): Promise<string> {
  server = await listenOn(undefined, undefined);
  server.open({ functions, own: { fetch: () => new Response('own', { status: 404 }) } });
  return `http://127.0.0.1:${server.port}`;
}

it('hands a function its request from its own name on', async () => {
  const base = await open({ outcomes: echo });
  const ask = async (path: string, init?: RequestInit) => (await fetch(base + path, init)).json();
  expect(await ask('/functions/v1/outcomes/a%2Fb?limit=2', { method: 'POST', body: '{"a":1}' })).toEqual({
    method: 'POST',
    path: '/outcomes/a%2Fb?limit=2',
    body: '{"a":1}',
  });
  expect(await ask('/functions/v1/outcomes')).toMatchObject({ path: '/outcomes' });
  expect(await ask('/functions/v1//outcomes//x/')).toMatchObject({ path: '/outcomes//x/' });
  expect(await ask('/functions/v1/outcomes?a=b')).toMatchObject({ path: '/outcomes?a=b' });
  for (const path of ['/functions/v1/outcomesx', '/functions/v1/__proto__', '/outcomes', '/']) {
    expect((await fetch(base + path)).status, path).toBe(404);
  }
});

it('is 503 until it is opened', async () => {
  server = await listenOn(undefined, undefined);
  const answer = await fetch(`http://127.0.0.1:${server.port}/functions/v1/outcomes`);
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
});

it('finishes the requests that run before it closes, and takes no more', async () => {
  let finish: () => void = () => undefined;
  const arrived = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const base = await open({
    slow: {
      async fetch() {
        finish();
        await sleep(300);
        return new Response('done');
      },
    },
  });
  const asked = fetch(`${base}/functions/v1/slow`);
  await arrived;
  const closed = server?.close();
  await expect(fetch(`${base}/functions/v1/slow`)).rejects.toThrow();
  expect(await (await asked).text()).toBe('done');
  await closed;
});

it('keeps the port it had unless another program has taken it', async () => {
  const first = await listenOn(undefined, undefined);
  server = await listenOn(undefined, first.port);
  expect(server.port).not.toBe(first.port);
  await expect(listenOn(first.port, undefined)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  await first.close();
  await server.close();
  server = await listenOn(undefined, first.port);
  expect(server.port).toBe(first.port);
});

import http, { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server as TcpServer } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { CERTIFICATE, CERTIFICATE_KEY } from '../../../test/support/certificate.ts';
import type { Address } from './reach.ts';
import { createSender, type Sender, type SenderOptions } from './sender.ts';

const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

async function listening(server: Server | TcpServer, host = '127.0.0.1', port = 0): Promise<number> {
  await new Promise<void>((resolve) => server.listen(port, host, resolve));
  open.push({
    close: () => {
      if ('closeAllConnections' in server) server.closeAllConnections();
      server.close();
    },
  });
  return (server.address() as AddressInfo).port;
}

const serving = (listener: RequestListener, host?: string, port?: number) =>
  listening(createServer(listener), host, port);

function sender(over: Partial<SenderOptions> = {}): Sender {
  const made = createSender({ reach: 'public_and_loopback', ...over });
  open.push(made);
  return made;
}

const post = (port: number, over: object = {}, by: Sender = sender()) =>
  by.post({ url: `http://127.0.0.1:${port}/`, headers: { 'x-one': '1' }, body: '{"a":"é"}', timeoutMs: 2000, ...over });

const at =
  (...addresses: string[]) =>
  async (): Promise<Address[]> =>
    addresses.map((address) => ({ address, family: 4 as const }));

describe('a request', () => {
  it('arrives whole, and its answer comes back', async () => {
    const came: { headers: http.IncomingHttpHeaders; body: string; method?: string }[] = [];
    const port = await serving(async (request, response) => {
      let body = '';
      for await (const chunk of request.setEncoding('utf8')) body += chunk;
      came.push({ headers: request.headers, body, method: request.method });
      response.writeHead(503, { 'retry-after': '7' }).end('later');
    });
    expect(await post(port)).toMatchObject({ answered: true, status: 503, retryAfterMs: 7000, words: 'later' });
    expect(came[0]).toMatchObject({
      method: 'POST',
      body: '{"a":"é"}',
      headers: { 'x-one': '1', 'content-length': '10' },
    });
  });

  it('goes over one connection after the other, and survives one that was closed meanwhile', async () => {
    let connections = 0;
    const server = createServer((_, response) => response.end());
    server.on('connection', (socket) => {
      connections += 1;
      socket.unref();
    });
    const port = await listening(server);
    const by = sender();
    for (let n = 0; n < 5; n += 1) expect(await post(port, {}, by)).toMatchObject({ status: 200 });
    expect(connections).toBe(1);
    server.closeAllConnections();
    expect(await post(port, {}, by)).toMatchObject({ status: 200 });
    expect(connections).toBe(2);
  });
});

describe('an answer', () => {
  it('of ten megabytes is read to 64 KiB, and its status counts', async () => {
    let sent = 0;
    let cut: () => void = () => undefined;
    const ended = new Promise<void>((resolve) => {
      cut = resolve;
    });
    const port = await serving((_, response) => {
      response.writeHead(200);
      response.once('close', cut);
      const chunk = Buffer.alloc(64 * 1024, 'x');
      const more = () => {
        while (sent < 160 && !response.destroyed) {
          sent += 1;
          if (!response.write(chunk)) return void response.once('drain', more);
        }
        if (!response.destroyed) response.end();
      };
      more();
    });
    const came = await post(port);
    expect(came).toMatchObject({ answered: true, status: 200 });
    expect(came.answered && came.body.length).toBe(64 * 1024);
    await ended;
    expect(sent).toBeLessThan(160);
  });

  it('that drips is cut off by the clock: its status counts, if it had come', async () => {
    const timers = new Set<NodeJS.Timeout>();
    open.push({ close: () => timers.forEach(clearInterval) });
    const port = await serving((_, response) => {
      response.writeHead(201);
      timers.add(setInterval(() => response.write('x'), 20));
    });
    const began = performance.now();
    expect(await post(port, { timeoutMs: 300 })).toMatchObject({ answered: true, status: 201 });
    expect(performance.now() - began).toBeLessThan(1500);

    const tcp = createTcpServer((socket) => {
      socket.on('error', () => undefined).write('HTTP/1.1 200 OK\r\n');
      timers.add(setInterval(() => socket.write('x-a: b\r\n'), 20));
    });
    expect(await post(await listening(tcp), { timeoutMs: 300 })).toMatchObject({ fault: { code: 'timeout' } });
  });

  it('that never comes is waited for no longer than said', async () => {
    const port = await serving(() => undefined);
    expect(await post(port, { timeoutMs: 200 })).toEqual({
      answered: false,
      fault: { code: 'timeout', message: 'no answer within 200 ms' },
    });
  });

  it('that breaks off after its head counts', async () => {
    const port = await serving((_, response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write('x', () => response.destroy());
    });
    expect(await post(port)).toMatchObject({ answered: true, status: 200 });
  });

  it.each([
    ['is no HTTP', 'nonsense\r\n\r\n', 'answer_invalid'],
    ['has a head without end', `HTTP/1.1 200 OK\r\nx: ${'y'.repeat(100_000)}\r\n\r\n`, 'answer_invalid'],
    ['is empty', '', 'connection_lost'],
    [
      'switches protocols',
      'HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\n',
      'answer_invalid',
    ],
  ])('that %s is a fault', async (_, text, code) => {
    const tcp = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => socket.end(text));
    });
    expect(await post(await listening(tcp))).toMatchObject({ answered: false, fault: { code } });
  });

  it('nobody gives where nobody listens', async () => {
    const server = createServer();
    const port = await listening(server);
    await new Promise((resolve) => server.close(resolve));
    expect(await post(port)).toMatchObject({ fault: { code: 'connect_failed' } });
  });
});

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])('%i is not followed, wherever it leads', async (status) => {
    const reached: string[] = [];
    const inner = await serving((request, response) => {
      reached.push(request.url ?? '');
      response.end('secret');
    });
    const port = await serving((_, response) => {
      response.writeHead(status, { location: `http://127.0.0.1:${inner}/admin` }).end();
    });
    // The hole: what follows redirects ends up inside.
    expect(await (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST' })).text()).toBe('secret');
    expect(reached.splice(0)).toEqual(['/admin']);
    expect(await post(port)).toMatchObject({ status, location: `http://127.0.0.1:${inner}/admin` });
    expect(reached).toEqual([]);
  });
});

describe('a name', () => {
  it('is looked up once, and the connection goes where the check looked', async () => {
    const port = await serving((_, response) => response.writeHead(200).end('checked'), '127.0.0.2');
    await serving((_, response) => response.writeHead(200).end('rebound'), '127.0.0.1', port);
    let asked = 0;
    // A name server that says something else at each question.
    const rebinding = async () => {
      asked += 1;
      return at(asked === 1 ? '127.0.0.2' : '127.0.0.1')();
    };
    const by = sender({ resolve: rebinding });
    expect(await post(port, { url: `http://receiver.test:${port}/` }, by)).toMatchObject({ words: 'checked' });
    expect(asked).toBe(1);
    // The hole: whoever checks first and lets the connection look again is led elsewhere.
    const naive = await new Promise<string>((resolve, reject) => {
      const lookup: http.RequestOptions['lookup'] = (_host, _options, callback) =>
        void rebinding().then((found) => callback(null, found as never));
      const request = http.request(`http://receiver.test:${port}/`, { lookup }, (response) => {
        response.setEncoding('utf8').once('data', resolve);
      });
      request.once('error', reject).end();
    });
    expect(naive).toBe('rebound');
  });

  it('that leads inside is not connected to', async () => {
    const reached: unknown[] = [];
    const port = await serving((request) => reached.push(request.url));
    for (const [reach, addresses] of [
      ['public', ['127.0.0.1']],
      ['public', ['1.1.1.1', '127.0.0.1']],
      ['public_and_loopback', ['127.0.0.1', '10.0.0.1']],
    ] as const) {
      const by = sender({ reach, resolve: at(...addresses) });
      expect(await post(port, { url: `https://receiver.test:${port}/` }, by)).toMatchObject({
        fault: { code: 'address_refused' },
      });
    }
    expect(reached).toEqual([]);
  });

  it('that is not answered is waited for no longer than said', async () => {
    const by = sender({ resolve: () => new Promise(() => undefined) });
    expect(await post(1, { url: 'https://receiver.test/', timeoutMs: 100 }, by)).toMatchObject({
      fault: { code: 'timeout' },
    });
  });

  it.each(['nonsense', 'https://', 'http://127.0.0.1:99999/', 'https://user:word@example.com/'])(
    '%s is refused',
    async (url) => {
      expect(await post(1, { url })).toMatchObject({ fault: { code: 'url_refused' } });
    },
  );
});

describe('over TLS', () => {
  const secure = () =>
    listening(
      createTlsServer({ cert: CERTIFICATE, key: CERTIFICATE_KEY }, (_, response) => response.writeHead(204).end()),
    );

  it('a receiver is trusted by its name and authority alone, at the address that was checked', async () => {
    const port = await secure();
    const trusting = sender({ ca: CERTIFICATE, resolve: at('127.0.0.1') });
    expect(await post(port, { url: `https://receiver.test:${port}/` }, trusting)).toMatchObject({ status: 204 });
    expect(await post(port, { url: `https://other.test:${port}/` }, trusting)).toMatchObject({
      fault: { code: 'tls_failed' },
    });
    const stranger = sender({ resolve: at('127.0.0.1') });
    expect(await post(port, { url: `https://receiver.test:${port}/` }, stranger)).toMatchObject({
      fault: { code: 'tls_failed' },
    });
  });

  it('a receiver that speaks none is a fault', async () => {
    const port = await serving((_, response) => response.end());
    const by = sender({ resolve: at('127.0.0.1') });
    expect(await post(port, { url: `https://receiver.test:${port}/` }, by)).toMatchObject({
      fault: { code: 'tls_failed' },
    });
  });
});

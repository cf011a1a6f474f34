import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface CuttingProxy {
  /** The proxied functions' url. */
  url: string;
  /** Replies that were cut off, by path below the functions' url. */
  cut: string[];
  stop(): Promise<void>;
}

/**
 * A proxy that lets a request through, waits for the whole reply, and then cuts the connection where `cuts` says so: what a
 * caller sees when the answer is lost after the commit.
 */
export async function startCuttingProxy(
  targetUrl: string,
  cuts: (request: { method: string; path: string; nth: number }) => boolean,
): Promise<CuttingProxy> {
  const cut: string[] = [];
  const seen = new Map<string, number>();
  const server = createServer((incoming, response) => {
    void forward(incoming).catch(() => response.socket?.destroy());

    async function forward(request: IncomingMessage): Promise<void> {
      const method = request.method ?? 'GET';
      const path = (request.url ?? '').replace('/functions/v1/', '');
      const nth = (seen.get(`${method} ${path}`) ?? 0) + 1;
      seen.set(`${method} ${path}`, nth);
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      const headers = new Headers();
      for (const name of ['authorization', 'content-type', 'apikey']) {
        const value = request.headers[name];
        if (typeof value === 'string') headers.set(name, value);
      }
      const body = chunks.length > 0 ? Buffer.concat(chunks) : null;
      const reply = await fetch(`${targetUrl}/${path}`, { method, headers, body });
      const answer = Buffer.from(await reply.arrayBuffer());
      if (cuts({ method, path, nth })) {
        cut.push(path);
        response.socket?.destroy();
        return;
      }
      const passed = new Headers(reply.headers);
      for (const name of ['content-encoding', 'content-length', 'transfer-encoding', 'connection']) passed.delete(name);
      response.writeHead(reply.status, Object.fromEntries(passed));
      response.end(answer);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/functions/v1`,
    cut,
    async stop() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

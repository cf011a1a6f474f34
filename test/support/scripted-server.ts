import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One request as the script sees it. */
export interface ScriptedRequest {
  /** 1 for the first request of the server. */
  number: number;
  method: string;
  /** Path and query below `/functions/v1/`. */
  path: string;
  headers: IncomingMessage['headers'];
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was sent
  json: any;
}

/** `drop`: the connection is cut without a reply; `cut`: in the middle of the reply; `hang`: never answered. */
export type ScriptedAnswer =
  | 'drop'
  | 'cut'
  | 'hang'
  | { status: number; body?: unknown; text?: string; headers?: { [name: string]: string } };

export interface ScriptedServer {
  url: string;
  requests: ScriptedRequest[];
  stop(): Promise<void>;
}

/** A real HTTP server on loopback that answers, drops, cuts or hangs as the script says. */
export async function startScriptedServer(
  script: (request: ScriptedRequest) => ScriptedAnswer | Promise<ScriptedAnswer>,
): Promise<ScriptedServer> {
  const requests: ScriptedRequest[] = [];
  const server = createServer((incoming, response) => {
    void readText(incoming).then(async (text) => {
      const request: ScriptedRequest = {
        number: requests.length + 1,
        method: incoming.method ?? '',
        path: (incoming.url ?? '').replace('/functions/v1/', ''),
        headers: incoming.headers,
        text,
        json: text === '' ? undefined : JSON.parse(text),
      };
      requests.push(request);
      answer(response, await script(request));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/functions/v1`,
    requests,
    async stop() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}

function answer(response: ServerResponse, what: ScriptedAnswer): void {
  if (what === 'hang') return;
  if (what === 'drop') {
    response.socket?.destroy();
    return;
  }
  if (what === 'cut') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' });
    response.write('{"half":', () => response.socket?.destroy());
    return;
  }
  const text = what.text ?? JSON.stringify(what.body ?? {});
  response.writeHead(what.status, { 'content-type': 'application/json', ...what.headers });
  response.end(text);
}

async function readText(incoming: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

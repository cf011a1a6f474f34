import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { getRequestListener } from '@hono/node-server';

/** What answers requests of one path: an edge function's app, or a page of the stack itself. */
export type FetchApp = { fetch(request: Request): Response | Promise<Response> };

export interface HttpServer {
  port: number;
  /** Begins to answer. */
  open(routes: Routes): void;
  /** Takes no new requests, finishes those that run (10 s at most), closes. */
  close(): Promise<void>;
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;
export type Routes = { functions: Record<string, FetchApp>; own: FetchApp };
export type Listening = {
  /** 0 = any free one. */
  port: number;
  /** Loopback when absent. */
  host?: string;
  /** Whether global Request and Response may be replaced by lighter ones. */
  ownProcess?: boolean;
};

const FUNCTION_PATH = /^\/functions\/v1\/+([^/?#]+)/;

/**
 * One HTTP server for everything of a stack: `/functions/v1/<name>/…` goes to that function's app, which sees
 * the path from `/<name>` on, as on Supabase; all else to the stack's own app. Until `open` is called all is 503.
 *
 * @throws EADDRINUSE
 */
export async function listen({ port, host = '127.0.0.1', ownProcess = false }: Listening): Promise<HttpServer> {
  let functions = new Map<string, Listener>();
  let own: Listener = starting;
  const server = createServer((request, response) => {
    const path = request.url ?? '/';
    const name = FUNCTION_PATH.exec(path)?.[1];
    const app = name === undefined ? undefined : functions.get(name);
    if (!app) return own(request, response);
    // Rewritten on the raw request: making a second Request would copy every body.
    request.url = `/${path.slice('/functions/v1/'.length).replace(/^\/+/, '')}`;
    return app(request, response);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host }, () => resolve());
  });
  return {
    port: (server.address() as AddressInfo).port,
    open(routes) {
      functions = new Map(Object.entries(routes.functions).map(([name, app]) => [name, listenerOf(app, ownProcess)]));
      own = listenerOf(routes.own, ownProcess);
    },
    close: () => close(server),
  };
}

/** Listens on the port asked for, or on the one remembered, or, that one being taken, on any. */
export async function listenOn(
  asked: number | undefined,
  remembered: number | undefined,
  ownProcess = false,
): Promise<HttpServer> {
  return listen({ port: asked ?? remembered ?? 0, ownProcess }).catch((error: NodeJS.ErrnoException) => {
    if (asked || error.code !== 'EADDRINUSE') throw error;
    return listen({ port: 0, ownProcess });
  });
}

function listenerOf(app: FetchApp, ownProcess: boolean): Listener {
  // In someone's test suite the global Request and Response stay Node's own.
  const listener = getRequestListener((request) => app.fetch(request), { overrideGlobalObjects: ownProcess });
  return (request, response) => void listener(request, response);
}

function starting(_request: IncomingMessage, response: ServerResponse): void {
  response.writeHead(503, { 'retry-after': '1' }).end();
}

async function close(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  server.closeIdleConnections();
  // Connections kept alive close once their request has been answered; those that do not end are cut.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  await Promise.race([closed, sleep(10_000, undefined, { ref: false })]);
  clearInterval(sweep);
  server.closeAllConnections();
  await closed;
}

// What all functions have in common: one small Hono app of documented routes, with a verified caller for each, problems
// for every refusal, CORS and a request id on every answer.
import { OpenAPIHono } from '@hono/zod-openapi';
import { Refusal, toRefusal } from '../../src/database/index.ts';
import { corsHeaders, PREFLIGHT_HEADERS } from './cors.ts';
import type { FunctionDeps } from './deps.ts';
import type { Answer, Endpoint } from './endpoint.ts';
import { healthResponse } from './health.ts';
import { normalPath } from './path.ts';
import { problemResponse } from './problem.ts';
import { requestIdOf } from './request-id.ts';

/** A function: its name in the path, what it is for, its routes. */
export interface LedgerFunction {
  name: string;
  description: string;
  endpoints: readonly Endpoint[];
}

/** A function that answers requests. */
export interface LedgerApp {
  readonly name: string;
  fetch(request: Request): Promise<Response>;
  /** As `fetch`, for a path below the function's server: `/outcomes/…`. */
  request(path: string, init?: RequestInit): Promise<Response>;
}

interface Environment {
  Bindings: { requestId: string; headers: Record<string, string>; deps: FunctionDeps };
}

/** The Hono app of a function's routes, with their documents in its registry. */
export function routesOf(definition: LedgerFunction): OpenAPIHono<Environment> {
  const { name, endpoints } = definition;
  const app = new OpenAPIHono<Environment>({ getPath: (request) => normalPath(pathOf(request)) }).basePath(`/${name}`);
  for (const endpoint of endpoints) {
    app.openAPIRegistry.registerPath(endpoint.route);
    app.on(endpoint.method.toUpperCase(), endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'), async (context) => {
      const { requestId, headers, deps } = context.env;
      const request = context.req.raw;
      const caller = await deps.verify(request.headers.get('authorization'));
      const session = deps.database.as(caller);
      const query = new URL(request.url).searchParams;
      const answer = await endpoint.run({ request, requestId, caller, session, deps }, context.req.param(), query);
      return good(answer, headers);
    });
  }
  app.notFound((context) => {
    const { requestId, headers } = context.env;
    const allowed = methodsAt(definition, context.req.path);
    if (allowed.length === 0) return problemResponse(new Refusal('not_found'), requestId, headers);
    return problemResponse(new Refusal('method_not_allowed'), requestId, { ...headers, allow: allowed.join(', ') });
  });
  app.onError((error, context) => {
    const { requestId, headers, deps } = context.env;
    return refused(error, context.req.raw, name, deps, requestId, headers);
  });
  return app;
}

export function createLedgerApp(definition: LedgerFunction, deps: FunctionDeps): LedgerApp {
  const routes = routesOf(definition);
  const health = `/${definition.name}/health`;
  const fetch = async (request: Request): Promise<Response> => {
    const requestId = requestIdOf(request);
    const headers = {
      ...corsHeaders(deps.config.corsOrigins, request),
      'x-request-id': requestId,
      'cache-control': 'no-store',
    };
    if (request.method === 'OPTIONS') {
      return new Response(null, { status: 204, headers: { ...headers, ...PREFLIGHT_HEADERS } });
    }
    try {
      // The path as it was sent: an event may be called "health" and is reached by an escaped spelling.
      const reads = request.method === 'GET' || request.method === 'HEAD';
      if (reads && normalPath(pathOf(request)) === health) return await healthResponse(deps, headers);
      return await routes.fetch(request, { requestId, headers, deps });
    } catch (error) {
      return refused(error, request, definition.name, deps, requestId, headers);
    }
  };
  return {
    name: definition.name,
    fetch,
    request: (path, init) => fetch(new Request(new URL(path, 'http://ledger.invalid'), init)),
  };
}

function good(answer: Answer, headers: Record<string, string>): Response {
  const all = { ...headers, 'content-type': 'application/json', ...answer.headers };
  return new Response(JSON.stringify(answer.body), { status: answer.status, headers: all });
}

function refused(
  error: unknown,
  request: Request,
  name: string,
  deps: FunctionDeps,
  requestId: string,
  headers: Record<string, string>,
): Response {
  const refusal = toRefusal(error);
  if (refusal.status >= 500) {
    deps.log({
      level: refusal.status === 503 ? 'warn' : 'error',
      function: name,
      request_id: requestId,
      method: request.method,
      path: pathOf(request),
      code: refusal.code,
      cause: causeText(refusal),
    });
  }
  return problemResponse(refusal, requestId, headers);
}

/** For the log: the kind of failure and its message, never parameters or rows. */
function causeText(refusal: Refusal): string {
  const cause = refusal.cause as { code?: string; message?: string } | undefined;
  return [cause?.code, cause?.message ?? refusal.detail].filter(Boolean).join(': ');
}

function methodsAt(definition: LedgerFunction, path: string): string[] {
  const methods = new Set<string>();
  for (const endpoint of definition.endpoints) {
    const pattern = new RegExp(
      `^/${definition.name}${endpoint.path.replace(/\/$/, '').replaceAll(/\{\w+\}/g, '[^/]+')}$`,
    );
    if (!pattern.test(path)) continue;
    methods.add(endpoint.method.toUpperCase());
    if (endpoint.method === 'get') methods.add('HEAD');
  }
  if (path === `/${definition.name}/health`) methods.add('GET').add('HEAD');
  if (methods.size > 0) methods.add('OPTIONS');
  return [...methods];
}

function pathOf(request: Request): string {
  const start = request.url.indexOf('/', request.url.indexOf('://') + 3);
  if (start < 0) return '/';
  const end = request.url.slice(start).search(/[?#]/);
  return end < 0 ? request.url.slice(start) : request.url.slice(start, start + end);
}

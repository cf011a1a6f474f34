// One route: what it says of itself in the OpenAPI document, what it asks of path and query, and what it does.
import { createRoute, type RouteConfig, z } from '@hono/zod-openapi';
import { type ErrorCode, pointer, type Violation } from '../../src/contract/index.ts';
import { type Caller, Refusal, type Session } from '../../src/database/index.ts';
import type { FunctionDeps } from './deps.ts';
import { type AnswerDoc, answerDocs, type BodyDoc, bodyDoc } from './endpoint-docs.ts';

/** What a handler is given: a verified caller, and path and query as their schemas read them. */
export interface Call<Params = unknown, Query = unknown> {
  request: Request;
  requestId: string;
  params: Params;
  query: Query;
  caller: Caller;
  /** The database as the caller. */
  session: Session;
  deps: FunctionDeps;
}

/** A good answer; its body is sent as JSON. */
export interface Answer {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
}

export interface EndpointSpec<P extends z.ZodObject, Q extends z.ZodObject> {
  method: 'get' | 'post' | 'put';
  /** Below the function's own name, with `{parameter}`s. */
  path: string;
  operationId: string;
  summary: string;
  description: string;
  params?: P;
  query?: Q;
  body?: BodyDoc;
  /** Good answers by status. */
  answers: Record<number, AnswerDoc>;
  /** Codes of refusals besides those every route has. */
  errors: ErrorCode[];
  handle(call: Call<z.infer<P>, z.infer<Q>>): Promise<Answer>;
}

export interface Endpoint {
  method: 'get' | 'post' | 'put';
  path: string;
  route: RouteConfig;
  /** Reads path and query (throws `request_invalid`), then runs. */
  run(call: Omit<Call, 'params' | 'query'>, params: Record<string, string>, query: URLSearchParams): Promise<Answer>;
}

const NOTHING = z.strictObject({});

export function endpoint<P extends z.ZodObject = typeof NOTHING, Q extends z.ZodObject = typeof NOTHING>(
  spec: EndpointSpec<P, Q>,
): Endpoint {
  const params = (spec.params ?? NOTHING) as P;
  const query = (spec.query ?? NOTHING) as Q;
  const route = createRoute({
    method: spec.method,
    path: spec.path,
    operationId: spec.operationId,
    summary: spec.summary,
    description: spec.description,
    security: [{ token: [] }],
    request: {
      ...(spec.params && { params: spec.params }),
      ...(spec.query && { query: spec.query }),
      ...(spec.body && { body: bodyDoc(spec.body) }),
    },
    responses: answerDocs(spec.answers, spec.errors, spec.method !== 'get'),
  });
  return {
    method: spec.method,
    path: spec.path,
    route,
    run: (call, rawParams, rawQuery) =>
      spec.handle({
        ...call,
        params: read(params, rawParams, 'path'),
        query: read(query, single(rawQuery), 'query'),
      } as Call<z.infer<P>, z.infer<Q>>),
  };
}

/** A parameter given twice has no one meaning. */
function single(query: URLSearchParams): Record<string, string> {
  const values: [string, string][] = [];
  const seen = new Set<string>();
  for (const [name, value] of query) {
    if (seen.has(name)) throw invalid([{ path: pointer(['query', name]), rule: 'repeated', message: 'stands twice' }]);
    seen.add(name);
    values.push([name, value]);
  }
  return Object.fromEntries(values);
}

function read<S extends z.ZodObject>(schema: S, value: Record<string, string>, root: string): z.infer<S> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalid(
    result.error.issues.flatMap((issue) => {
      const at = [root, ...issue.path];
      if (issue.code !== 'unrecognized_keys') return [{ path: pointer(at), rule: issue.code, message: issue.message }];
      return issue.keys.map((key) => ({
        path: pointer([...at, key]),
        rule: 'unknown_parameter',
        message: 'is not a parameter of this route',
      }));
    }),
  );
}

function invalid(violations: Violation[]): Refusal {
  return new Refusal('request_invalid', { violations });
}

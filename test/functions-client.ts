// Talks to the functions over HTTP, as a script would.
import { expect } from 'vitest';
import type { LedgerRole } from '../src/stack/index.ts';
import type { Document } from './support/envelopes.ts';

/** An answer as it came: its body is parsed when it is JSON. */
export interface Answered {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body: any;
}

interface Speaker {
  readonly functionsUrl: string;
  mintToken(claims: { tenantId: string; role: LedgerRole; actorId: string }): Promise<string>;
}

export type Api = (method: string, path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answered>;

/** Sends with a token of one actor; a string or bytes are sent as they are, anything else as JSON. */
export async function apiOf(
  stack: Speaker,
  caller: { tenantId: string; role?: LedgerRole; actorId?: string },
): Promise<Api> {
  const { tenantId, role = 'orchestrator', actorId = 'os-agt-001' } = caller;
  const authorization = `Bearer ${await stack.mintToken({ tenantId, role, actorId })}`;
  return (method, path, body, headers) => send(stack.functionsUrl, method, path, body, { authorization, ...headers });
}

export async function send(
  url: string,
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Answered> {
  const raw = typeof body === 'string' || body instanceof Uint8Array || body instanceof ReadableStream;
  const response = await fetch(`${url}${path}`, {
    method,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: (raw ? body : JSON.stringify(body)) as BodyInit }),
    ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
  } as RequestInit);
  return answered(response);
}

export async function answered(response: Response): Promise<Answered> {
  const text = await response.text();
  const json = response.headers.get('content-type')?.includes('json');
  return { status: response.status, headers: response.headers, body: json ? JSON.parse(text) : text };
}

/** The answer is this refusal, as a whole problem document. */
export function expectProblem(answer: Answered, status: number, code: string): Document {
  expect({ status: answer.status, code: answer.body?.code, body: answer.body }).toMatchObject({ status, code });
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(answer.body).toMatchObject({
    type: `docs/errors.md#${code}`,
    title: expect.any(String),
    status,
    detail: expect.any(String),
    violations: expect.any(Array),
    request_id: answer.headers.get('x-request-id'),
  });
  return answer.body;
}

export function paths(problem: Document): string[] {
  return problem['violations'].map((violation: { path: string }) => violation.path);
}

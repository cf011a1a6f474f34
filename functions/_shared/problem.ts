// Refusals as application/problem+json (RFC 9457).
import { ERRORS, errorPage, type Problem } from '../../src/contract/index.ts';
import type { Refusal } from '../../src/database/index.ts';

/** The problem document of a refusal; also what stands in a batch's items. */
export function problemOf(refusal: Refusal, requestId: string): Problem {
  return {
    ...refusal.extra,
    type: errorPage(refusal.code),
    title: ERRORS[refusal.code].title,
    status: refusal.status,
    code: refusal.code,
    detail: refusal.detail,
    remedy: refusal.hint,
    violations: refusal.violations,
    request_id: requestId,
  };
}

/** The answer of a refusal, with the headers its status asks for. */
export function problemResponse(refusal: Refusal, requestId: string, headers: Record<string, string> = {}): Response {
  const answer = new Headers({ ...headers, 'content-type': 'application/problem+json' });
  if (refusal.retryAfter !== null) answer.set('retry-after', String(refusal.retryAfter));
  // What was not read of the body is still on the connection, so no other request can follow on it.
  if (refusal.code === 'payload_too_large') answer.set('connection', 'close');
  if (refusal.status === 401) {
    answer.set('www-authenticate', refusal.code === 'token_missing' ? 'Bearer' : 'Bearer error="invalid_token"');
  }
  return new Response(JSON.stringify(problemOf(refusal, requestId)), { status: refusal.status, headers: answer });
}

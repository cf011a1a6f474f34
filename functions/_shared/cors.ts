// CORS on every answer: a browser shows an error without these headers as a network failure, so they are put on by the
// outermost layer, also on refusals and on the answers of unknown paths.

const ALLOWED_HEADERS =
  'authorization, apikey, content-type, x-client-info, x-request-id, x-supabase-api-version, traceparent, tracestate';
const EXPOSED_HEADERS = 'allow, idempotent-replayed, retry-after, x-request-id, www-authenticate';
const METHODS = 'GET, HEAD, POST, PUT, OPTIONS';

/**
 * Headers for one request. Tokens travel in a header, never in cookies, so credentials are never allowed and `*` is
 * safe; with a list, only a listed origin is named.
 */
export function corsHeaders(origins: '*' | readonly string[], request: Request): Record<string, string> {
  const headers: Record<string, string> = { 'access-control-expose-headers': EXPOSED_HEADERS };
  if (origins === '*') {
    headers['access-control-allow-origin'] = '*';
  } else {
    headers['vary'] = 'Origin';
    const origin = request.headers.get('origin');
    if (origin !== null && origins.includes(origin)) headers['access-control-allow-origin'] = origin;
  }
  return headers;
}

export const PREFLIGHT_HEADERS: Record<string, string> = {
  'access-control-allow-methods': METHODS,
  'access-control-allow-headers': ALLOWED_HEADERS,
  'access-control-max-age': '7200',
};

import { AccessTokenError } from './access-token.ts';
import { isPassing, reasonOf } from './fault.ts';
import { readRetryAfter } from './retry.ts';

/** Where an actor signs in. */
export interface AuthServer {
  /** `…/auth/v1`. */
  url: string;
  apiKey: string | undefined;
  fetch: typeof fetch;
  timeoutMs: number;
}

/** What Supabase Auth gives for a password or a refresh token. */
export interface Grant {
  accessToken: string;
  /** For how long from now, by Auth's own word; its `expires_at` needs two clocks that agree, and is not read. */
  lifeMs: number;
  refreshToken: string | null;
}

/** Auth did not answer, or cannot work now: the same question may be answered later. */
export class AuthUnreachable extends Error {
  readonly retryAfterMs: number | undefined;

  constructor(message: string, cause?: unknown, retryAfterMs?: number) {
    super(message, { cause });
    this.retryAfterMs = retryAfterMs;
  }
}

/** One question to `POST /token`. Throws `AuthUnreachable`, or an `AccessTokenError` for what Auth refused. */
export async function askForToken(
  server: AuthServer,
  grantType: 'password' | 'refresh_token',
  body: { [name: string]: string },
): Promise<Grant> {
  let response: Response;
  let text: string;
  try {
    // A redirect would take the password elsewhere.
    response = await server.fetch(`${server.url}/token?grant_type=${grantType}`, {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        'X-Supabase-Api-Version': '2024-01-01',
        ...(server.apiKey === undefined ? {} : { apikey: server.apiKey }),
      },
      body: JSON.stringify(body),
      redirect: 'error',
      signal: AbortSignal.timeout(server.timeoutMs),
    });
    text = await response.text();
  } catch (cause) {
    throw new AuthUnreachable(`${server.url} did not answer (${reasonOf(cause)})`, cause);
  }
  const answer = parsed(text);
  if (!response.ok) throw faultOf(server.url, response, answer);
  const grant = grantOf(answer);
  if (!grant) {
    throw new AccessTokenError(`${server.url} answered ${response.status} without a token; is the url right?`, {
      final: true,
      status: response.status,
    });
  }
  return grant;
}

function faultOf(url: string, response: Response, answer: { [name: string]: unknown }): Error {
  const { status } = response;
  const words = [answer['message'], answer['msg'], answer['error_description'], answer['error']].find(isText) ?? '';
  const said = words === '' ? '' : `: ${words}`;
  if (isPassing(status) || status === 500) {
    const retryAfterMs = readRetryAfter(response.headers.get('retry-after'));
    return new AuthUnreachable(`${url} cannot give tokens now (${status}${said})`, undefined, retryAfterMs);
  }
  const code = [answer['code'], answer['error_code'], answer['error']].find(isText);
  if (code === 'user_banned' || /\bbanned\b/i.test(words)) {
    const message = 'this actor is disabled: Supabase Auth gives it no token (user_banned)';
    return new AccessTokenError(message, { code: 'actor_disabled', final: true, status });
  }
  const message = `Supabase Auth refuses these credentials (${code ?? status}${said})`;
  return new AccessTokenError(message, { code: 'credentials_refused', final: true, status });
}

function grantOf(answer: { [name: string]: unknown }): Grant | null {
  const { access_token: accessToken, expires_in: seconds, refresh_token: refreshToken } = answer;
  if (!isText(accessToken) || typeof seconds !== 'number' || !Number.isFinite(seconds) || seconds <= 0) return null;
  return { accessToken, lifeMs: seconds * 1000, refreshToken: isText(refreshToken) ? refreshToken : null };
}

function parsed(text: string): { [name: string]: unknown } {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as { [name: string]: unknown };
  } catch {
    // Not JSON: the platform in front of Auth answered, or another server.
  }
  return {};
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

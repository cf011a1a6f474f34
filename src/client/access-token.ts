import { LedgerError, misuse } from './errors.ts';

/** A token, or what fetches the current one. A function is asked before every request, so it should cache. */
export type AccessToken = string | (() => string | Promise<string>);

/** The token could not be had; told apart from a network fault on the way to the ledger. */
export class AccessTokenError extends LedgerError {
  constructor(cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`no access token: ${reason}`, { code: 'access_token_failed', cause });
    this.name = 'AccessTokenError';
  }
}

/** Refuses at once a fixed token that is none, such as that of a variable nobody set: no attempt would help. */
export function requireAccessToken(accessToken: AccessToken): void {
  if (typeof accessToken === 'function') return;
  if (typeof accessToken === 'string' && accessToken.trim() !== '') return;
  throw misuse('accessToken is empty; give the token, or a function that gives it (is the environment variable set?)');
}

/** Asks for the current token; anything but a non-empty string is an `AccessTokenError`. */
export async function currentToken(accessToken: AccessToken): Promise<string> {
  let token: unknown;
  try {
    token = typeof accessToken === 'function' ? await accessToken() : accessToken;
  } catch (cause) {
    throw new AccessTokenError(cause);
  }
  if (typeof token !== 'string' || token.trim() === '') {
    throw new AccessTokenError(new TypeError('accessToken gave nothing'));
  }
  return token.trim();
}

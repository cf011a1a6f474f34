import { LedgerError, misuse } from './errors.ts';

/**
 * A token, or what fetches the current one. A function is asked before every request, so it should cache; when the
 * ledger has refused a token (401), it is asked once more and told which, so that it does not give the same one again.
 */
export type AccessToken = string | ((refused?: string) => string | Promise<string>);

export interface AccessTokenFault {
  code?: string;
  /** Asking again would not help, or has been done already. */
  final?: boolean;
  /** HTTP status of what gives the tokens, when it answered. */
  status?: number;
  cause?: unknown;
}

/** The token could not be had; told apart from a network fault on the way to the ledger. */
export class AccessTokenError extends LedgerError {
  readonly final: boolean;

  constructor(message: string, { code = 'access_token_failed', final = false, status, cause }: AccessTokenFault = {}) {
    super(message, { code, status, cause });
    this.name = 'AccessTokenError';
    this.final = final;
  }
}

/** Refuses at once a fixed token that is none, such as that of a variable nobody set: no attempt would help. */
export function requireAccessToken(accessToken: AccessToken): void {
  if (typeof accessToken === 'function') return;
  if (typeof accessToken === 'string' && accessToken.trim() !== '') return;
  throw misuse(
    'accessToken is empty; give the token, a function that gives it, or an actor (is the environment variable set?)',
  );
}

/** Asks for the current token; anything but a non-empty string is an `AccessTokenError`. */
export async function currentToken(accessToken: AccessToken, refused?: string): Promise<string> {
  let token: unknown;
  try {
    token = typeof accessToken === 'function' ? await accessToken(refused) : accessToken;
  } catch (cause) {
    if (cause instanceof AccessTokenError) throw cause;
    throw new AccessTokenError(`no access token: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
  if (typeof token !== 'string' || token.trim() === '') {
    throw new AccessTokenError('no access token: accessToken gave nothing');
  }
  return token.trim();
}

import type { AccessToken } from './access-token.ts';
import { ActorSession } from './actor-session.ts';
import { misuse } from './errors.ts';
import { DEFAULT_RETRY, type RetryOptions } from './retry.ts';
import { toProjectUrl } from './url.ts';

/** What an actor signs in with: `outcome-ledger actor create` gives it. */
export interface ActorCredentials {
  email: string;
  password: string;
  /** The project whose Supabase Auth knows the actor, where that is not the ledger's own (a trusted issuer). */
  url?: string;
  /** That project's publishable key; default: the ledger's `apiKey`. */
  apiKey?: string;
}

export interface CredentialOptions {
  url: string;
  apiKey?: string | undefined;
  accessToken?: AccessToken | undefined;
  actor?: ActorCredentials | undefined;
  fetch?: typeof fetch | undefined;
  retry?: RetryOptions | undefined;
}

/** What fetches the token of a request: as given, or by signing in. Exactly one of the two is wanted. */
export function accessTokenOf(options: CredentialOptions): AccessToken {
  const { accessToken, actor } = options;
  // What is no token either is refused where tokens are checked.
  if (actor === undefined || actor === null) return accessToken as AccessToken;
  if (accessToken !== undefined) throw misuse('accessToken and actor are both given; one of them says who calls');
  for (const member of ['email', 'password'] as const) {
    if (typeof actor[member] !== 'string' || actor[member].trim() === '') {
      throw misuse(`actor.${member} is empty (is the environment variable set?)`);
    }
  }
  const { fetch: given, retry } = options;
  const session = new ActorSession({
    server: {
      url: `${toProjectUrl(actor.url ?? options.url)}/auth/v1`,
      apiKey: actor.apiKey ?? options.apiKey,
      fetch: given ?? ((...request) => fetch(...request)),
      timeoutMs: retry?.requestTimeoutMs ?? DEFAULT_RETRY.requestTimeoutMs,
    },
    email: actor.email,
    password: actor.password,
    retry,
  });
  return (refused) => session.token(refused);
}

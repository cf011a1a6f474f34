import { AccessTokenError } from './access-token.ts';
import { type AuthServer, AuthUnreachable, askForToken, type Grant } from './auth-wire.ts';
import { separate } from './errors.ts';
import { type Attempt, DEFAULT_RETRY, type RetryOptions, withRetry } from './retry.ts';

/** A token is renewed when a quarter of its life is left, or this much of a long one. */
const RENEW_BEFORE_MS = 90_000;
/** How long the answer of a renewal that failed stands, so that busy callers do not ask at every call. */
const FAILED_FOR_MS = 5_000;

export interface SessionOptions {
  server: AuthServer;
  email: string;
  password: string;
  retry?: RetryOptions | undefined;
  /** Milliseconds that no change of the wall clock moves. */
  monotonic?: (() => number) | undefined;
}

interface Held {
  token: string;
  refreshToken: string | null;
  renewAt: number;
  endsAt: number;
}

/**
 * An actor's token, kept fresh in memory and nowhere else.
 *
 * Its life is counted on the monotonic clock from `expires_in`: an `exp` held against a clock that is hours off would
 * make every token look dead, or none. Where that clock stood still (a laptop that slept), the ledger's 401 tells.
 */
export class ActorSession {
  readonly #options: SessionOptions;
  readonly #monotonic: () => number;
  #held: Held | null = null;
  /** The one renewal under way; everybody who needs a token waits for it. */
  #renewal: { token: Promise<string>; ahead: boolean } | null = null;
  #failed: { error: unknown; until: number; ahead: boolean } | null = null;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#monotonic = options.monotonic ?? (() => performance.now());
  }

  /** The current token; `refused` is one that the ledger no longer takes. */
  async token(refused?: string): Promise<string> {
    if (refused !== undefined && this.#held?.token === refused) this.#held.endsAt = Number.NEGATIVE_INFINITY;
    const living = this.#living();
    if (living) {
      if (this.#monotonic() >= living.renewAt) this.#renewAhead();
      return living.token;
    }
    // What renews ahead tries once only; this call has more patience.
    if (this.#renewal?.ahead) await this.#renewal.token.catch(() => {});
    try {
      return this.#living()?.token ?? (await this.#renewed());
    } catch (error) {
      // Each caller gets a copy: what it loses by the fault is written on it.
      throw separate(error);
    }
  }

  #living(): Held | null {
    return this.#held && this.#monotonic() < this.#held.endsAt ? this.#held : null;
  }

  #renewed(): Promise<string> {
    if (this.#renewal) return this.#renewal.token;
    const failed = this.#lately();
    if (failed && !failed.ahead) return Promise.reject(failed.error);
    return this.#renew(this.#options.retry?.attempts ?? DEFAULT_RETRY.attempts, false);
  }

  /** While the token still lives: nobody waits for this, and nobody is told that it failed. */
  #renewAhead(): void {
    if (this.#renewal || this.#lately()) return;
    void this.#renew(1, true).catch(() => {});
  }

  #lately() {
    return this.#failed && this.#monotonic() < this.#failed.until ? this.#failed : null;
  }

  #renew(attempts: number, ahead: boolean): Promise<string> {
    const token = withRetry((number) => this.#attempt(number), {
      ...DEFAULT_RETRY,
      ...this.#options.retry,
      attempts,
    }).then(
      (held) => {
        this.#held = held;
        this.#renewal = null;
        this.#failed = null;
        return held.token;
      },
      (error: unknown) => {
        this.#renewal = null;
        this.#failed = { error, until: this.#monotonic() + FAILED_FOR_MS, ahead };
        throw error;
      },
    );
    this.#renewal = { token, ahead };
    return token;
  }

  async #attempt(attempts: number): Promise<Attempt<Held>> {
    const from = this.#monotonic();
    try {
      const { accessToken, lifeMs, refreshToken } = await this.#grant();
      const renewAt = from + lifeMs - Math.min(RENEW_BEFORE_MS, lifeMs / 4);
      return { done: true, value: { token: accessToken, refreshToken, renewAt, endsAt: from + lifeMs } };
    } catch (cause) {
      if (!(cause instanceof AuthUnreachable)) return { done: false, error: cause as Error, again: false };
      const message = `no access token after ${attempts} ${attempts === 1 ? 'attempt' : 'attempts'}: ${cause.message}`;
      const error = new AccessTokenError(message, { code: 'auth_unreachable', final: true, cause });
      return { done: false, error, again: true, retryAfterMs: cause.retryAfterMs };
    }
  }

  /** By the refresh token; by the password at first, and when the session is over (a new password, a sign-out). */
  async #grant(): Promise<Grant> {
    const { server, email, password } = this.#options;
    const refreshToken = this.#held?.refreshToken;
    if (refreshToken) {
      try {
        return await askForToken(server, 'refresh_token', { refresh_token: refreshToken });
      } catch (error) {
        if (!(error instanceof AccessTokenError) || error.code === 'actor_disabled') throw error;
        if (this.#held) this.#held.refreshToken = null;
      }
    }
    return askForToken(server, 'password', { email, password });
  }
}

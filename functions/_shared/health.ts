// Is this function fit to record, and why not: asked by monitors without a token.
import {
  EXPECTED_FINGERPRINT,
  judgeHealth,
  type LedgerHealth,
  type Refusal,
  toRefusal,
} from '../../src/database/index.ts';
import type { FunctionDeps } from './deps.ts';

/** The body of `GET /<name>/health`. */
export interface HealthBody {
  /** `ok`, `degraded` (records, but the feed is held back), or the code of the refusal every request meets. */
  status: string;
  fingerprint: string | null;
  expected_fingerprint: string;
  epoch: number | null;
  feed: LedgerHealth['feed'] | null;
}

export async function healthResponse(deps: FunctionDeps, headers: Record<string, string>): Promise<Response> {
  const { body, refusal } = await readBody(deps);
  const all: Record<string, string> = { ...headers, 'content-type': 'application/json' };
  if (refusal) all['retry-after'] = String(refusal.retryAfter ?? 1);
  return new Response(JSON.stringify(body), { status: refusal ? 503 : 200, headers: all });
}

async function readBody(deps: FunctionDeps): Promise<{ body: HealthBody; refusal: Refusal | null }> {
  try {
    const health = await deps.database.health();
    const refusal = judgeHealth(health);
    const status = refusal?.code ?? (health.feed.degraded ? 'degraded' : 'ok');
    const { fingerprint, epoch, feed } = health;
    return { body: { status, fingerprint, expected_fingerprint: EXPECTED_FINGERPRINT, epoch, feed }, refusal };
  } catch (error) {
    const refusal = toRefusal(error);
    const unknown = { fingerprint: null, expected_fingerprint: EXPECTED_FINGERPRINT, epoch: null, feed: null };
    return { body: { status: refusal.code, ...unknown }, refusal };
  }
}

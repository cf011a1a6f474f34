import { DatabaseSession, type SessionOptions } from './database-session.ts';
import { Identity } from './identity.ts';
import { readLag } from './lag.ts';
import { setLease } from './lease.ts';
import { type Ledger, LedgerRefused } from './ledger.ts';
import { MirrorLock } from './lock.ts';
import { refuseTransactionPooler } from './pooler-check.ts';
import { quarantineIn } from './quarantine.ts';
import { FeedReader } from './reader.ts';
import { linkSourcesAfter, linksFrom, outcomesAfter } from './reconcile-reads.ts';

export interface LedgerOptions extends SessionOptions {
  /** Only this tenant's rows; null or absent: all. */
  tenantId?: string | null;
}

/**
 * Opens the ledger for a mirror: one session, reserved, that refuses a transaction pooler. Once the session is lost every
 * call throws `LedgerUnreachable`; then close it and open another.
 *
 * @throws LedgerRefused `pooler_unsupported`, `not_permitted` (login), `request_invalid` (connection string or tenant)
 * @throws LedgerUnreachable
 */
export async function openLedger(options: LedgerOptions): Promise<Ledger> {
  const tenantId = options.tenantId ?? null;
  refuseMalformed(tenantId);
  const session = await DatabaseSession.open(options);
  try {
    await refuseTransactionPooler(session, options);
    await setLease(session);
  } catch (error) {
    void session.close();
    throw error;
  }
  const identity = new Identity(session, tenantId);
  const reader = new FeedReader(session, identity, tenantId);
  const lock = new MirrorLock(session);
  return {
    identify: () => identity.check(),
    read: (after, limit) => reader.page(after, limit),
    lag: (after) => readLag(session, after, tenantId),
    tryLock: (mirror) => lock.try(mirror),
    quarantine: quarantineIn(session, reader),
    outcomesAfter: (after, limit) => outcomesAfter(session, tenantId, after, limit),
    linkSourcesAfter: (after, limit) => linkSourcesAfter(session, tenantId, after, limit),
    linksFrom: (sources) => linksFrom(session, tenantId, sources),
    close: () => session.close(),
  };
}

function refuseMalformed(tenantId: string | null): void {
  if (tenantId === null || /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(tenantId)) return;
  throw new LedgerRefused(
    'request_invalid',
    'the tenant to mirror is not a UUID in lower case with hyphens',
    'Name it as `outcome-ledger tenant list` shows it.',
  );
}

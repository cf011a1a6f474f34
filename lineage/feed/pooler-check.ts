import { DatabaseSession, type SessionOptions } from './database-session.ts';
import { LedgerRefused } from './ledger.ts';

/** A pooler may happen to give the same backend again; so often in a row it does not. */
const ROUNDS = 5;
const PATIENCE_MS = 20_000;

/**
 * Refuses a transaction pooler, whatever its port: behind one a session lock belongs to nobody, and two workers would write
 * at once. Two connections that both stay open have two backends of their own and keep them; a pooler gives the backend of
 * an idle connection to whoever asks next.
 *
 * @throws LedgerRefused `pooler_unsupported`
 * @throws LedgerUnreachable there is no room for a second session, which the check needs for a moment
 */
export async function refuseTransactionPooler(session: DatabaseSession, options: SessionOptions): Promise<void> {
  // A full pool makes a second connection wait for longer than anybody wants to.
  const answerMs = Math.min(PATIENCE_MS, options.answerMs ?? PATIENCE_MS);
  const second = await DatabaseSession.open({ ...options, answerMs });
  try {
    const own = await backendOf(session);
    // First without transactions, which a pooler of statements ends the connection for; then within them, where a backend is
    // held and the first connection must still find its own. The second's answer is looked at before the first is asked
    // again: with one backend in the pool that question would wait for the transaction's end.
    for (const within of ['', 'begin']) {
      for (let round = 0; round < ROUNDS; round += 1) {
        if (within) await second.plain(within);
        if ((await backendOf(second)) === own || (await backendOf(session)) !== own) throw refused();
        if (within) await second.plain('rollback');
        if ((await backendOf(session)) !== own) throw refused();
      }
    }
  } finally {
    await second.close();
  }
}

async function backendOf(session: DatabaseSession): Promise<unknown> {
  const [row] = await session.plain('select pg_catalog.pg_backend_pid() as pid');
  return row?.['pid'];
}

function refused(): LedgerRefused {
  return new LedgerRefused(
    'pooler_unsupported',
    'this connection goes through a transaction pooler: its sessions change from statement to statement, so that no lock holds',
    'Connect to the database itself, or through a session pooler: on Supabase the direct connection or port 5432 of the pooler, never port 6543.',
  );
}

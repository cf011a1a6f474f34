import type { DatabaseSession } from './database-session.ts';

/**
 * When the server gives a silent session up, and with it the lock. A machine that is gone: the server asks a silent peer after
 * 5 s, three times at 3 s, and waits 15 s for what it sent. A process that lives and asks nothing for five minutes has hung.
 */
const LEASE = {
  tcp_keepalives_idle: '5',
  tcp_keepalives_interval: '3',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '15000',
  idle_session_timeout: '300000',
} as const;

export async function setLease(session: DatabaseSession): Promise<void> {
  const settings = Object.entries(LEASE).map(([name, value]) => `pg_catalog.set_config('${name}', '${value}', false)`);
  await session.plain(`select ${settings.join(', ')}`);
}

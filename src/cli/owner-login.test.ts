import { expect, it } from 'vitest';
import { ownerLoginWarning } from './owner-login.ts';

it.each(['postgres', 'supabase_admin', 'postgres.abcdefgh'])(
  'warns of %s, names the right login, tells no password',
  (user) => {
    const said = ownerLoginWarning('sync', `postgres://${user}:very-secret@db.example:5432/postgres`);
    expect(said).toContain('outcome-ledger roles password ledger_sync');
    expect(said).toContain('OUTCOME_LEDGER_SYNC_DATABASE_URL');
    expect(said).not.toContain('very-secret');
  },
);

it.each(['ledger_sync', 'ledger_sync.abcdefgh', 'mirror', 'postgres_exporter'])('has nothing to say of %s', (user) => {
  expect(ownerLoginWarning('sync', `postgres://${user}:x@db.example:5432/postgres`)).toBeUndefined();
});

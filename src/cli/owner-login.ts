import { DATABASE_VARIABLES, type WorkerName } from '../stack/workers/names.ts';

/** Logins that own a ledger, or may do everything in its server. */
const OWNERS = new Set(['postgres', 'supabase_admin']);

/**
 * What to tell somebody who gives a worker the owner's connection, which may change what only the ledger may; undefined for
 * any other login. A word and no refusal: the work is the same.
 */
export function ownerLoginWarning(worker: WorkerName, databaseUrl: string): string | undefined {
  const user = decodeURIComponent(new URL(databaseUrl).username);
  // Supabase's pooler names the project behind the login.
  const login = user.split('.')[0] ?? '';
  if (!OWNERS.has(login)) return undefined;
  return `${worker} logs in as ${login}, which may do everything: give ${DATABASE_VARIABLES[worker]} the login ledger_${worker} (outcome-ledger roles password ledger_${worker})`;
}

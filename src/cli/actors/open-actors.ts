import type { Sql } from 'postgres';
import { withDatabase } from '../database.ts';
import { preflight } from '../failure.ts';
import { requireLocal } from '../ledger.ts';
import { databaseUrlOf, dataDirOf, type LocalOptions } from '../options.ts';
import { tenantOf } from '../tenants.ts';
import type { Accounts } from './accounts.ts';
import { localAccounts } from './local-accounts.ts';
import { noAccounts } from './no-accounts.ts';
import { projectOf, requireSameProject } from './project.ts';

export interface ActorOptions extends LocalOptions {
  url?: string;
  serviceRoleKeyFile?: string;
  databaseUrl?: string;
  tenant?: string;
}

/** One tenant's actors: who gives out their keys, and the ledger's own list of those it refuses. */
export interface Actors {
  tenantId: string;
  accounts: Accounts;
  /** As the owner. */
  sql: Sql;
}

/** The project's actors where one is named, those of a bare database, else the local stack's. The tenant has to stand. */
export async function withActors<T>(options: ActorOptions, work: (actors: Actors) => Promise<T>): Promise<T> {
  const { accounts, databaseUrl } = await placeOf(options);
  const tenantId = await tenantOf({ databaseUrl }, options.tenant);
  return withDatabase(databaseUrl, (sql) => work({ tenantId, accounts, sql }));
}

async function placeOf(options: ActorOptions): Promise<{ accounts: Accounts; databaseUrl: string }> {
  const project = await projectOf(options);
  if (project === null) {
    if (options.databaseUrl !== undefined) return { accounts: noAccounts, databaseUrl: options.databaseUrl };
    const stack = await requireLocal(dataDirOf(options));
    return { accounts: localAccounts(stack), databaseUrl: stack.databaseUrl };
  }
  // Never the local stack's by default: an actor would be refused in the wrong ledger.
  const databaseUrl = databaseUrlOf(options.databaseUrl);
  if (databaseUrl === undefined) {
    throw preflight(
      'database_url_missing',
      'the tenants and the list of disabled actors are in the database of the project',
      "give --database-url or OUTCOME_LEDGER_DATABASE_URL, the owner's connection",
    );
  }
  requireSameProject(project.url, databaseUrl);
  // The project's client is loaded for nobody else.
  const { supabaseAccounts } = await import('./supabase-accounts.ts');
  return { accounts: supabaseAccounts(project), databaseUrl };
}

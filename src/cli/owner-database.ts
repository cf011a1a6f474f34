import { requireLocal } from './ledger.ts';
import { databaseUrlOf, dataDirOf, type LocalOptions } from './options.ts';

/** The owner's connection: --database-url or its variable, else the running stack's. A named data directory beats the variable. */
export async function ownerDatabaseUrl(options: LocalOptions & { databaseUrl?: string }): Promise<string> {
  const given = options.databaseUrl ?? (options.dataDir === undefined ? databaseUrlOf(undefined) : undefined);
  return given ?? (await requireLocal(dataDirOf(options))).databaseUrl;
}

import type { Sql } from 'postgres';
import { scramVerifier } from './scram.ts';

/** The ledger's roles that may log in. `ledger_retention` is not among them: nobody logs in as it. */
export const LOGIN_ROLES = [
  'ledger_gateway',
  'ledger_sync',
  'ledger_sweep',
  'ledger_relay',
  'ledger_seal',
  'ledger_auditor',
] as const;

export type LoginRole = (typeof LOGIN_ROLES)[number];

/**
 * Lets `role` log in with `password`. Only a verifier is sent, never the password itself.
 *
 * @param adminSql the role's owner (`postgres`) or a superuser
 */
export async function setRolePassword(adminSql: Sql, role: string, password: string): Promise<void> {
  const verifier = scramVerifier(password);
  const [row] = await adminSql<{ statement: string }[]>`
    select format('alter role %I with login password %L', ${role}::text, ${verifier}::text) as statement`;
  await adminSql.unsafe(row?.statement ?? '');
}

/** The login roles that this database's server has. */
export async function presentLoginRoles(sql: Sql): Promise<LoginRole[]> {
  const rows = await sql<{ rolname: LoginRole }[]>`
    select rolname::text from pg_roles where rolname = any(${[...LOGIN_ROLES]}) order by rolname`;
  return rows.map((row) => row.rolname);
}

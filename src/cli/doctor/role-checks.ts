import type { Sql } from 'postgres';
import { LOGIN_ROLES } from '../../stack/role-passwords.ts';
import { type Check, fail, noneOf, ok, warn } from './check.ts';

interface RoleRow {
  name: string;
  login: boolean;
  strong: boolean;
  inherits: boolean;
}

const SUPABASE_ROLES = ['anon', 'authenticated', 'service_role'];

/** The roles exist, and none can do more than it should (design section 3). */
export async function checkRoles(sql: Sql): Promise<Check[]> {
  const names = [...SUPABASE_ROLES, ...LOGIN_ROLES, 'ledger_retention'];
  const rows = await sql<RoleRow[]>`
    select rolname::text as name, rolcanlogin as login, rolinherit as inherits,
           rolsuper or rolcreaterole or rolcreatedb or rolreplication or (rolbypassrls and rolname <> 'service_role') as strong
      from pg_roles where rolname = any(${names}::text[])`;
  const found = new Map(rows.map((row) => [row.name, row]));
  const wrong = [
    ...names.filter((name) => !found.has(name)).map((name) => `${name} is missing`),
    ...rows.filter((row) => row.strong).map((row) => `${row.name} has rights that no role of the ledger needs`),
    ...(found.get('ledger_gateway')?.inherits ? ['ledger_gateway inherits'] : []),
    ...(found.get('ledger_retention')?.login ? ['ledger_retention may log in'] : []),
    ...(await membersOf(sql, 'ledger_retention')).map((member) => `${member} can become ledger_retention`),
  ];
  return [
    noneOf(
      'roles',
      wrong,
      `${names.length} roles, none too strong`,
      'supabase db push makes them; alter role takes rights away',
    ),
    checkGatewayLogin(found.get('ledger_gateway')),
  ];
}

function checkGatewayLogin(gateway: RoleRow | undefined): Check {
  const name = 'gateway login';
  const remedy = 'outcome-ledger roles password ledger_gateway, then set LEDGER_DATABASE_URL';
  if (gateway === undefined) return fail(name, 'ledger_gateway is missing', 'supabase db push');
  return gateway.login
    ? ok(name, 'ledger_gateway may log in')
    : warn(name, 'ledger_gateway may not log in yet', remedy);
}

/** Who can become a role without being a superuser; the role that made it keeps ADMIN, which alone is not SET. */
async function membersOf(sql: Sql, role: string): Promise<string[]> {
  const rows = await sql<{ member: string }[]>`
    select distinct m.rolname::text as member
      from pg_auth_members a join pg_roles r on r.oid = a.roleid join pg_roles m on m.oid = a.member
     where r.rolname = ${role} and (a.set_option or a.inherit_option) and not m.rolsuper`;
  return rows.map((row) => row.member);
}

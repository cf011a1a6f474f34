import { randomUUID } from 'node:crypto';
import type { Sql, TransactionSql } from 'postgres';
import { afterAll, beforeAll, inject } from 'vitest';
import { type Caller, type Claims, claimsOf, isCaller } from './claims.ts';
import { connect, type ServerAccess, TEMPLATE, urlOf, using } from './shared-server.ts';

/** A database of the test file's own, cloned from the migrated template. Members are there once `beforeAll` has run. */
export interface TestDatabase {
  readonly name: string;
  readonly port: number;
  /** As `ledger_gateway`, the functions' login; same as `gatewayUrl`. */
  readonly url: string;
  readonly gatewayUrl: string;
  /** As `supabase_admin`, superuser. */
  readonly adminUrl: string;
  /** As `postgres`, the owner of the schema: no superuser, but BYPASSRLS. */
  readonly ownerUrl: string;
  /** As `ledger_auditor`. */
  readonly auditorUrl: string;
  /** As any login role of the ledger, e.g. `ledger_sync`. */
  urlAs(role: string): string;
  /** The owner's pool. */
  readonly sql: Sql;
  /** The superuser's pool. */
  readonly admin: Sql;
  /** The functions' pool. */
  readonly gateway: Sql;
  /** Runs `work` in one transaction as the functions do: role `authenticated`, the claims set locally. */
  as<T>(caller: Caller | Claims, work: (sql: TransactionSql) => Promise<T>): Promise<T>;
  /** Runs `work` in one transaction as any role, e.g. `anon` or `service_role`, with claims when given. */
  asRole<T>(role: string, work: (sql: TransactionSql) => Promise<T>, claims?: Claims): Promise<T>;
  /** A new tenant's id, readable by `ledger_auditor`; open (undefined sources may start) unless said otherwise. */
  tenant(open?: boolean): Promise<string>;
}

/** Gives the test file a database, made before its tests and dropped after them. */
export function useDatabase(): TestDatabase {
  let current: OpenDatabase | undefined;
  beforeAll(async () => {
    current = await openDatabase(await sharedAccess());
  });
  afterAll(() => current?.close());
  return new Proxy({} as TestDatabase, {
    get(_target, member) {
      if (!current) throw new Error(`useDatabase(): "${String(member)}" is read before beforeAll has run`);
      return current[member as keyof TestDatabase];
    },
  });
}

/** Where the run's one server listens; the first to ask starts it. */
export async function sharedAccess(): Promise<ServerAccess> {
  const response = await fetch(inject('sharedServerUrl'));
  if (!response.ok) throw new Error(`the test server did not start: ${await response.text()}`);
  return (await response.json()) as ServerAccess;
}

export interface OpenDatabase extends TestDatabase {
  close(): Promise<void>;
}

/** Clones the template of a test server. */
export async function openDatabase(access: ServerAccess): Promise<OpenDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const maintenance = urlOf(access, 'supabase_admin', 'postgres');
  await using(maintenance, (admin) => admin.unsafe(`create database ${name} owner postgres template ${TEMPLATE}`));
  const urlAs = (role: string) => urlOf(access, role, name);
  const pools = new Map<string, Sql>();
  const pool = (role: string): Sql => {
    const sql = pools.get(role) ?? connect(urlAs(role), 4);
    pools.set(role, sql);
    return sql;
  };

  const within = <T>(
    from: string,
    role: string,
    claims: Claims | undefined,
    work: (sql: TransactionSql) => Promise<T>,
  ) =>
    pool(from).begin(async (tx) => {
      await tx`select set_config('role', ${role}, true),
                      set_config('request.jwt.claims', ${claims ? JSON.stringify(claims) : ''}, true)`;
      return work(tx);
    }) as Promise<T>;

  return {
    name,
    port: access.port,
    url: urlAs('ledger_gateway'),
    gatewayUrl: urlAs('ledger_gateway'),
    adminUrl: urlAs('supabase_admin'),
    ownerUrl: urlAs('postgres'),
    auditorUrl: urlAs('ledger_auditor'),
    urlAs,
    get sql() {
      return pool('postgres');
    },
    get admin() {
      return pool('supabase_admin');
    },
    get gateway() {
      return pool('ledger_gateway');
    },
    as: (caller, work) => within('ledger_gateway', 'authenticated', isCaller(caller) ? claimsOf(caller) : caller, work),
    asRole: (role, work, claims) => within('supabase_admin', role, claims, work),
    async tenant(open = true) {
      const tenantId = randomUUID();
      const owner = pool('postgres');
      await owner`insert into public.tenants (tenant_id, name, open) values (${tenantId}, ${`tenant ${tenantId}`}, ${open})`;
      await owner`insert into ledger_internal.auditor_tenants (login, tenant_id) values ('ledger_auditor', ${tenantId})`;
      return tenantId;
    },
    async close() {
      await Promise.all([...pools.values()].map((sql) => sql.end({ timeout: 5 })));
      await using(maintenance, (admin) => admin.unsafe(`drop database ${name} with (force)`));
    },
  };
}

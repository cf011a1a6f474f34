import { randomUUID } from 'node:crypto';
import postgres from 'postgres';

/** `open` (default true, the local default): sources without a definition may start. */
export type NewTenant = { tenantId?: string; name?: string; open?: boolean };

/**
 * Makes a tenant, readable by the login `ledger_auditor`; one that is there already stays as it is.
 *
 * @param ownerUrl connection string of the owner, `postgres`
 */
export async function createTenant(ownerUrl: string, tenant: NewTenant = {}): Promise<{ tenantId: string }> {
  const { tenantId = randomUUID(), open = true } = tenant;
  const name = tenant.name ?? `tenant ${tenantId.slice(0, 8)}`;
  const sql = postgres(ownerUrl, { max: 1, onnotice: () => undefined });
  try {
    await sql.begin(async (tx) => {
      await tx`insert into public.tenants (tenant_id, name, open) values (${tenantId}, ${name}, ${open})
               on conflict (tenant_id) do nothing`;
      await tx`insert into ledger_internal.auditor_tenants (login, tenant_id) values ('ledger_auditor', ${tenantId})
               on conflict do nothing`;
    });
    return { tenantId };
  } finally {
    await sql.end({ timeout: 5 });
  }
}

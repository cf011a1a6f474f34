import { withDatabase } from './database.ts';
import { Failure, preflight, usage } from './failure.ts';
import type { LocalStack } from './local-stack.ts';

/** The local stack, or a database whose owner's connection is known. */
type Owned = Pick<LocalStack, 'databaseUrl'>;

export const DEFAULT_TENANT = 'default';

interface TenantRow {
  tenant_id: string;
  name: string | null;
  open: boolean;
}

export async function listTenants(stack: Owned): Promise<TenantRow[]> {
  return withDatabase(stack.databaseUrl, async (sql) => [
    ...(await sql<TenantRow[]>`select tenant_id::text, name, open from public.tenants order by created_at, tenant_id`),
  ]);
}

/** The asked tenant, else the one named `default`, else the only one. */
export async function tenantOf(stack: Owned, asked: string | undefined): Promise<string> {
  const tenants = await listTenants(stack);
  if (asked !== undefined) {
    const found = tenants.find((tenant) => tenant.tenant_id === asked);
    if (!found) {
      throw new Failure(
        { code: 'unknown_tenant', detail: `there is no tenant ${asked}`, remedy: 'outcome-ledger tenant create' },
        1,
      );
    }
    return found.tenant_id;
  }
  const chosen =
    tenants.find((tenant) => tenant.name === DEFAULT_TENANT) ?? (tenants.length === 1 ? tenants[0] : undefined);
  if (chosen) return chosen.tenant_id;
  if (tenants.length === 0) throw preflight('no_tenant', 'there is no tenant yet', 'outcome-ledger tenant create');
  throw usage('there are several tenants and none is named default', 'choose one with --tenant');
}

/** The tenant a command would choose by itself, or null where it would have to ask. */
export async function defaultTenantOf(stack: LocalStack): Promise<string | null> {
  return tenantOf(stack, undefined).catch(() => null);
}

/** Made on first start, so that a token and a curl line work at once; open, as nothing is defined yet. */
export async function ensureDefaultTenant(stack: LocalStack): Promise<string> {
  const tenants = await listTenants(stack);
  const found = tenants.find((tenant) => tenant.name === DEFAULT_TENANT) ?? tenants[0];
  if (found) return found.tenant_id;
  return (await stack.createTenant({ name: DEFAULT_TENANT, open: true })).tenantId;
}

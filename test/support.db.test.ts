import { describe, expect, it } from 'vitest';
import { useDatabase } from './support/database.ts';
import { useServer } from './support/server.ts';
import { connect } from './support/shared-server.ts';

const one = useDatabase();
const two = useDatabase();

describe('useDatabase()', () => {
  it('gives each caller a migrated database of its own', async () => {
    const tenant = await one.tenant();
    expect(await one.sql`select tenant_id, open from public.tenants`).toEqual([{ tenant_id: tenant, open: true }]);
    expect(await two.sql`select tenant_id from public.tenants`).toEqual([]);
    expect(await one.sql`select current_user as me, current_database() as here`).toEqual([
      { me: 'postgres', here: one.name },
    ]);
  });

  it('runs as a caller in one transaction, of which nothing stays on the connection', async () => {
    const tenantId = await one.tenant();
    const seen = await one.as(
      { tenantId, role: 'agent', actorId: 'a' },
      (tx) => tx`select current_user as role, session_user as login, ledger_internal.tenant_id() as tenant`,
    );
    expect(seen).toEqual([{ role: 'authenticated', login: 'ledger_gateway', tenant: tenantId }]);
    expect(
      await one.gateway`select current_user as role, current_setting('request.jwt.claims', true) as claims`,
    ).toEqual([{ role: 'ledger_gateway', claims: '' }]);
    expect(await one.asRole('anon', (tx) => tx`select current_user as role`)).toEqual([{ role: 'anon' }]);
  });
});

describe('useServer()', () => {
  const server = useServer();

  it('keeps what was committed through a crash', async () => {
    const tenant = await server.database.tenant();
    const open = connect(server.database.ownerUrl, 1);
    await open`begin`;
    await open`insert into public.tenants (tenant_id, name, open) values (gen_random_uuid(), 'lost', true)`;
    await server.kill();
    await open.end();
    await server.restart();
    expect(await server.database.sql`select tenant_id from public.tenants`).toEqual([{ tenant_id: tenant }]);
  });
});

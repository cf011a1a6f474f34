import { ERRORS } from '../../src/contract/errors.ts';
import { SCHEMA_FINGERPRINT } from '../../src/contract/schema-fingerprint.generated.ts';
import type { DatabaseSession } from './database-session.ts';
import { LedgerRefused } from './ledger.ts';

interface Health {
  fingerprint: string;
  ledger_id: string | null;
  epoch_settled: boolean;
}

/** Which ledger this is, once it was asked. */
export class Identity {
  readonly #session: DatabaseSession;
  readonly #tenantId: string | null;
  #known: string | null = null;

  constructor(session: DatabaseSession, tenantId: string | null) {
    this.#session = session;
    this.#tenantId = tenantId;
  }

  /**
   * Compares the schema with this software's and the database with its latest epoch.
   *
   * @throws LedgerRefused `schema_outdated`, `epoch_unsettled`, `unknown_tenant`
   */
  async check(): Promise<string | null> {
    const [row] = await this.#session.query('select public.ledger_health() as health');
    const health = row?.['health'] as Health;
    if (health.fingerprint !== SCHEMA_FINGERPRINT) {
      throw new LedgerRefused(
        'schema_outdated',
        `the ledger’s schema has the fingerprint ${health.fingerprint}, this software was made for ${SCHEMA_FINGERPRINT}`,
        ERRORS.schema_outdated.remedy,
      );
    }
    if (!health.epoch_settled) {
      throw new LedgerRefused('epoch_unsettled', ERRORS.epoch_unsettled.detail, ERRORS.epoch_unsettled.remedy);
    }
    await this.#requireTenant();
    this.#known = health.ledger_id;
    return this.#known;
  }

  /** The id for a position; null before the first row. */
  async id(): Promise<string | null> {
    if (this.#known === null) {
      const [row] = await this.#session.query('select ledger_internal.ledger_id() as id');
      this.#known = (row?.['id'] as string | null) ?? null;
    }
    return this.#known;
  }

  // A mirror of a tenant that is not there would stay empty and look healthy.
  async #requireTenant(): Promise<void> {
    if (this.#tenantId === null) return;
    const found = await this.#session.query('select from public.tenants t where t.tenant_id = $1::text::uuid', [
      this.#tenantId,
    ]);
    if (found.length > 0) return;
    throw new LedgerRefused(
      'unknown_tenant',
      `this ledger has no tenant ${this.#tenantId}`,
      'Name a tenant of this ledger: `outcome-ledger tenant list` shows them.',
    );
  }
}

import type { DatabaseSession } from './database-session.ts';

/** The lock of the one active worker of a mirror; it ends with the session. */
export class MirrorLock {
  readonly #session: DatabaseSession;
  readonly #held = new Set<string>();

  constructor(session: DatabaseSession) {
    this.#session = session;
  }

  async try(mirror: string): Promise<boolean> {
    // Asked of the server also when it is held, so that a lost session is noticed; but not taken twice.
    const [row] = this.#held.has(mirror)
      ? await this.#session.query('select true as taken')
      : await this.#session.query(
          "select pg_catalog.pg_try_advisory_lock(pg_catalog.hashtextextended('outcome-ledger:sync:' || $1::text, 0)) as taken",
          [mirror],
        );
    if (row?.['taken'] === true) this.#held.add(mirror);
    return row?.['taken'] === true;
  }
}

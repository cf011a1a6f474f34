// What the database is told about the caller: the claims the ledger reads, and nothing else of the token.

/** The caller, as a verified token names it. */
export interface Caller {
  /** `sub` of the token. */
  readonly subject: string;
  /** `app_metadata.tenant_id`, a lower-case hyphenated UUID. */
  readonly tenantId: string;
  /** `app_metadata.ledger_role`. */
  readonly role: string;
  /** `app_metadata.actor_id`. */
  readonly actorId: string;
}

/** The text of `request.jwt.claims` for a caller. */
export function claimsText(caller: Caller): string {
  return JSON.stringify({
    sub: caller.subject,
    role: 'authenticated',
    app_metadata: { tenant_id: caller.tenantId, ledger_role: caller.role, actor_id: caller.actorId },
  });
}

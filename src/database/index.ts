// The gateway: one small typed function per exposed SQL function, over one database connection per request.
export * from './cancel.ts';
export { type Caller, claimsText } from './claims.ts';
export { connect, type Database, type DatabaseOptions, type Session } from './connection.ts';
export * from './definitions.ts';
export * from './events.ts';
export * from './executions.ts';
export { EXPECTED_FINGERPRINT, type FeedHolder, judgeHealth, type LedgerHealth } from './health.ts';
export * from './hitl.ts';
export * from './invocations.ts';
export * from './lineage.ts';
export * from './outcomes.ts';
export * from './policy.ts';
export * from './recorded.ts';
export { Refusal, type RefusalParts, refusalOf, toRefusal } from './refusals.ts';
export { DEFAULT_RETRIES, type RetryPolicy } from './retry.ts';
export * from './webhooks.ts';

/** What the ledger fills in or compares with its own clock (design section 7). In milliseconds where the name says no other unit. */

/** The deadline of a start that names none and whose definition names none: one hour, one day. */
export const DEFAULT_DEADLINE_MS = { agent: 60 * 60 * 1000, workflow: 24 * 60 * 60 * 1000 } as const;

/** How long a request to a human waits that names no expiry: one day. */
export const DEFAULT_HITL_EXPIRY_MS = 24 * 60 * 60 * 1000;

/** A heartbeat older than this is lapsed: its subject reads as stalled. Advisory, nothing ends by it. */
export const HEARTBEAT_LAPSE_MS = 60 * 1000;

/** Deadlines reach this far ahead; the minute beyond thirty days is for clocks that disagree. */
export const LONGEST_DEADLINE_MS = (30 * 24 * 60 + 1) * 60 * 1000;

/** Seconds: a transaction that holds the feed back for longer degrades what waits for the feed, as `ledger_health()` says too. */
export const HELD_TOO_LONG_S = 30;

/** Bytes: the largest artifact whose content stands in the table; a larger one goes to object storage. */
export const ARTIFACT_MAX_BYTES = 1024 * 1024;

/**
 * Bytes: an agent's last message takes the place of each empty file it left; all copies of one conclusion have so many
 * together, beside the first, which is whole, and the lines that say what each is.
 */
export const RECOVERED_MAX_BYTES = 4 * 1024 * 1024;

/** Bytes: the body of a request that may be large, a batch or a conclusion. */
export const LARGE_BODY_MAX_BYTES = 16 * 1024 * 1024;

/** How long a verification runs at most that names no other limit, and how long whoever waits for one waits for it. */
export const VERIFICATION_LIMIT_MS = 10 * 60 * 1000;

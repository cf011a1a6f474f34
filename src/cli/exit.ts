/** What every exit code of the command means; `exec` alone passes its child's code through. */
export const EXIT = {
  /** Success, an authored decline, or attached to what already runs. */
  ok: 0,
  /** A declared failure, a refused gate, an invalid envelope, not found, a conflict. */
  failed: 1,
  /** Refused before anything was written: usage, unreadable input, failed preflight, ledger unreachable. */
  refused: 2,
  /** Waiting for a human or a worker. */
  parked: 3,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

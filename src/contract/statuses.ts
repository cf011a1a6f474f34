/** The seven ways an invocation or execution can end (spec "Outcome status values"). */
export const STATUSES = ['success', 'partial', 'failure', 'blocked', 'escalated', 'timeout', 'skipped'] as const;
export type OutcomeStatus = (typeof STATUSES)[number];

/** The statuses that say that something went wrong: what root causes are asked for. */
export const FAILURE_STATUSES = ['failure', 'timeout'] as const satisfies readonly OutcomeStatus[];

export interface StatusRow {
  readonly result: 'object' | 'null';
  readonly errors: 'empty' | 'some' | 'some_with_timeout';
  readonly escalation: 'null' | 'required';
  /** `never_block`: optional, but its decision is not `block`; `block`: required, and `block`; `free`: optional. */
  readonly policy: 'never_block' | 'block' | 'free';
}

/** What each status demands of the envelope's members (design section 5). */
export const STATUS_TABLE: Readonly<Record<OutcomeStatus, StatusRow>> = {
  success: { result: 'object', errors: 'empty', escalation: 'null', policy: 'never_block' },
  partial: { result: 'object', errors: 'some', escalation: 'null', policy: 'never_block' },
  failure: { result: 'null', errors: 'some', escalation: 'null', policy: 'never_block' },
  blocked: { result: 'null', errors: 'some', escalation: 'null', policy: 'block' },
  escalated: { result: 'null', errors: 'empty', escalation: 'required', policy: 'never_block' },
  timeout: { result: 'null', errors: 'some_with_timeout', escalation: 'null', policy: 'free' },
  skipped: { result: 'null', errors: 'empty', escalation: 'null', policy: 'never_block' },
};

/** The OS event each outcome emits (spec "Observability integration"). */
export const EVENT_TYPE_OF_STATUS = {
  success: 'os.outcome.succeeded',
  partial: 'os.outcome.partial',
  failure: 'os.outcome.failed',
  blocked: 'os.outcome.blocked',
  escalated: 'os.outcome.escalated',
  timeout: 'os.outcome.timeout',
  skipped: 'os.outcome.skipped',
} as const satisfies Record<OutcomeStatus, string>;

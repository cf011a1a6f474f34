import type { Violation } from '../contract/index.ts';
import type { Finding } from './finding.ts';

/**
 * The Cedar engine cannot be used. `policy_engine_missing`: the optional package is not installed.
 * `policy_engine_failed`: it could not be loaded, or broke down while it ran; only a new process mends the latter.
 */
export class PolicyEngineError extends Error {
  readonly code: 'policy_engine_missing' | 'policy_engine_failed';

  constructor(code: PolicyEngineError['code'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'PolicyEngineError';
    this.code = code;
  }
}

/** A policy set that cannot be prepared, because it would be refused. */
export class PolicySetInvalid extends Error {
  readonly code = 'policy_set_invalid';
  readonly violations: readonly Finding[];

  constructor(violations: readonly Finding[]) {
    super(`the policy set is invalid: ${violations[0]?.message ?? ''}`);
    this.name = 'PolicySetInvalid';
    this.violations = violations;
  }
}

/** A request that cannot be asked: nothing was evaluated, and there is no decision. */
export class PolicyRequestInvalid extends Error {
  readonly code = 'policy_request_invalid';
  readonly violations: readonly Violation[];

  constructor(violations: readonly Violation[]) {
    super(`the request is invalid: ${violations[0]?.path ?? ''} ${violations[0]?.message ?? ''}`);
    this.name = 'PolicyRequestInvalid';
    this.violations = violations;
  }
}

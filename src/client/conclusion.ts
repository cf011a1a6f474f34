import type { Envelope, ErrorEntry, ExecutionContextPart, Quality } from './documents.ts';
import type { Ending } from './ending.ts';
import { LedgerError } from './errors.ts';
import { isJsonObject, type JsonObject, toPlainJson } from './plain-json.ts';
import type { RunState } from './run-state.ts';
import { entriesOfThrown, errorEntry } from './thrown.ts';
import type { Verdict } from './verdict.ts';

/** What a run will record, and what it will then give or throw. */
export interface Conclusion {
  status: Envelope['status'];
  result: JsonObject | null;
  errors: ErrorEntry[];
  escalation: Envelope['escalation'];
  executionContext: ExecutionContextPart;
  quality: Quality | null;
  /** Why a skip was a skip: goes into an event. */
  reason?: string | undefined;
  /** What the caller gets as `result`: the object itself, not its copy. */
  returned: unknown;
  /** To be thrown once the outcome is recorded; `remedy` when it is the calling code's mistake, found here. */
  toThrow?: { error: unknown; remedy?: string };
}

/** A returned value taken apart: for an invocation the value is the result, for an execution `{ result, … }`. */
export interface Returned {
  result: unknown;
  executionContext?: ExecutionContextPart;
  quality?: Quality;
}

/** Level of `result` inside the envelope, which counts for the nesting limit. */
const RESULT_LEVEL = 2;

/** Turns the end of a function into the outcome of its run. Total: every ending has exactly one conclusion. */
export function conclude(ending: Ending, state: RunState, unpack: (value: unknown) => Returned | string): Conclusion {
  const conclusion = concluded(ending, state, unpack);
  return state.policy?.decision === 'block' ? underBlock(conclusion) : conclusion;
}

function concluded(ending: Ending, state: RunState, unpack: (value: unknown) => Returned | string): Conclusion {
  if (ending.kind === 'canceled') return canceled(ending.thrown, state);
  if (ending.kind === 'threw') {
    return failed(state, entriesOfThrown(ending.thrown, state.recoverable), { toThrow: { error: ending.thrown } });
  }
  const verdict = chosenVerdict(ending.value, state);
  if (verdict instanceof LedgerError) return failedBy(verdict, ending.value, state, 'Return what ctx gives');
  if (verdict) return ofVerdict(verdict, state);
  const returned = unpack(ending.value);
  if (typeof returned === 'string') {
    const error = new LedgerError(returned, { code: 'RESULT_NOT_OBJECT' });
    return failedBy(error, ending.value, state, 'Return { result: { … } }');
  }
  if (returned.quality) state.quality = { ...state.quality, ...returned.quality };
  return withResult('success', returned.result, [], returned.executionContext ?? {}, state);
}

/**
 * A verdict counts when it is returned, or when nothing is. One that was made and then passed over is a mistake that
 * would otherwise turn, say, a forgotten `return ctx.fail(…)` into a success.
 */
function chosenVerdict(value: unknown, state: RunState): Verdict | LedgerError | undefined {
  const { made } = state.verdicts;
  if (state.isVerdict(value)) return value;
  if (made.length === 0) return undefined;
  if (made.length === 1 && value === undefined) return made[0];
  const words = made.map((verdict) => verdict.status).join(', ');
  return new LedgerError(`the function called for ${words} and returned something else`, {
    code: 'VERDICT_NOT_RETURNED',
  });
}

function ofVerdict(verdict: Verdict, state: RunState): Conclusion {
  if (verdict.status === 'partial') {
    return withResult('partial', verdict.result, [...verdict.errors], verdict.executionContext ?? {}, state);
  }
  return {
    ...empty(state),
    status: verdict.status,
    errors: [...verdict.errors],
    escalation: verdict.escalation,
    reason: verdict.reason,
  };
}

function withResult(
  status: 'success' | 'partial',
  result: unknown,
  errors: ErrorEntry[],
  executionContext: ExecutionContextPart,
  state: RunState,
): Conclusion {
  const plain = toPlainJson(result, RESULT_LEVEL);
  if (plain.ok ? !isJsonObject(plain.value) : plain.violations[0]?.path === '') {
    const message = `the function returned ${kindOf(result)}, not an object`;
    return failedBy(new LedgerError(message, { code: 'RESULT_NOT_OBJECT' }), result, state, 'Return { … }');
  }
  if (!plain.ok) {
    const [first] = plain.violations;
    const error = new LedgerError(`the result cannot be stored: ${first?.message} (at ${first?.path})`, {
      code: 'RESULT_NOT_STORABLE',
      violations: plain.violations,
    });
    return failedBy(error, result, state, 'Return what JSON keeps whole');
  }
  return { ...empty(state), status, result: plain.value as JsonObject, errors, executionContext, returned: result };
}

function canceled(thrown: unknown, state: RunState): Conclusion {
  const { reason } = state.signal;
  const why = reason instanceof Error ? reason.message : typeof reason === 'string' ? reason : '';
  const entry = errorEntry({ code: 'CANCELED', message: why || 'canceled', recoverable: false }, false);
  return failed(state, [entry], { toThrow: { error: thrown } });
}

/** The calling code's mistake: recorded as a failure, thrown with what the function returned. */
function failedBy(error: LedgerError, returned: unknown, state: RunState, remedy: string): Conclusion {
  error.result = returned;
  const [entry] = entriesOfThrown(error, false);
  const field = error.violations[0]?.path;
  return failed(state, [{ ...(entry as ErrorEntry), ...(field ? { field } : {}) }], { toThrow: { error, remedy } });
}

function failed(state: RunState, errors: ErrorEntry[], more: Partial<Conclusion>): Conclusion {
  return { ...empty(state), status: 'failure', errors, ...more };
}

/** Under a guard's `block` an outcome can only be `blocked` or `timeout`. */
function underBlock(conclusion: Conclusion): Conclusion {
  if (conclusion.status === 'timeout' || conclusion.status === 'blocked') return conclusion;
  const blocked = errorEntry({ code: 'POLICY_BLOCKED', message: 'the policy guard blocked this work' }, false);
  const base = { ...conclusion, status: 'blocked' as const, result: null, escalation: null };
  if (conclusion.result === null) return { ...base, errors: [...conclusion.errors, blocked] };
  const error = new LedgerError('the function returned a result although the policy guard blocked it', {
    code: 'POLICY_BLOCKED',
  });
  error.result = conclusion.returned;
  return {
    ...base,
    errors: [blocked, ...conclusion.errors],
    returned: null,
    toThrow: { error, remedy: 'Return ctx.blocked(…)' },
  };
}

function empty(state: RunState): Omit<Conclusion, 'status'> {
  return { result: null, errors: [], escalation: null, executionContext: {}, quality: state.quality, returned: null };
}

/** In words, for messages: `null`, `an array`, `a string`, `a Map`. */
export function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return 'an array';
  return typeof value === 'object' ? `a ${Object.prototype.toString.call(value).slice(8, -1)}` : `a ${typeof value}`;
}

import type { RecordedEnvelope } from './documents.ts';
import { LedgerError } from './errors.ts';

const outcomes = new WeakMap<object, RecordedEnvelope>();
const faults = new WeakMap<object, unknown>();

/** The outcome that was recorded for a run that ended by throwing `error`; undefined when none was. */
export function recordedOutcomeOf(error: unknown): RecordedEnvelope | undefined {
  return isObject(error) ? outcomes.get(error) : undefined;
}

/** Why the outcome of a run that threw `error` could not be recorded; undefined when it was. */
export function recordingErrorOf(error: unknown): unknown {
  return isObject(error) ? faults.get(error) : undefined;
}

export function rememberOutcome(error: unknown, outcome: RecordedEnvelope): void {
  if (isObject(error)) outcomes.set(error, outcome);
}

/**
 * What to throw when the work threw `original` and recording that failed as well: the original error itself, the fault
 * beside it as `recordingError`. A thrown primitive can carry nothing, so it travels as the `cause` of a `LedgerError`.
 */
export function withRecordingError(original: unknown, fault: unknown): unknown {
  const carrier = isObject(original)
    ? original
    : new LedgerError(`the work threw ${String(original)}, and its outcome could not be recorded`, {
        code: fault instanceof LedgerError ? fault.code : 'ledger_unreachable',
        cause: original,
      });
  faults.set(carrier, fault);
  try {
    Object.defineProperty(carrier, 'recordingError', { value: fault, configurable: true, writable: true });
  } catch {
    // A frozen error: recordingErrorOf() still tells.
  }
  return carrier;
}

function isObject(value: unknown): value is object {
  return (typeof value === 'object' || typeof value === 'function') && value !== null;
}

// One outcome as it is sent: whose it is, and the envelope.
import { checkEnvelope, type Envelope, pointer, type Violation } from '../../src/contract/index.ts';
import { uuid4 } from '../../src/contract/scalars/index.ts';
import { Refusal } from '../../src/database/index.ts';
import { requireObject } from '../_shared/body.ts';

/** A checked submission: exactly one subject. */
export type Submission = { outcome: Envelope } & (
  | { invocation_id: string; execution_id?: undefined }
  | { execution_id: string; invocation_id?: undefined }
);

/** `{invocation_id | execution_id, outcome}` stands around the envelope, which is level 1 of its own. */
export const SUBMISSION_DEPTH = 1;

const MEMBERS = ['invocation_id', 'execution_id', 'outcome'];

/** Throws `request_invalid` about the wrapper, or `envelope_invalid` with pointers into the envelope. */
export function requireSubmission(value: unknown): Submission {
  const body = requireObject(value);
  const violations: Violation[] = Object.keys(body)
    .filter((member) => !MEMBERS.includes(member))
    .map((member) => violation(pointer([member]), 'unknown_member', 'is not a member'));
  const invocationId = body['invocation_id'] ?? null;
  const executionId = body['execution_id'] ?? null;
  if ((invocationId === null) === (executionId === null)) {
    violations.push(violation('', 'one_subject', 'needs exactly one of invocation_id and execution_id'));
  }
  if (invocationId !== null && !isUuid(invocationId)) violations.push(uuidViolation('/invocation_id'));
  if (executionId !== null && !isUuid(executionId)) violations.push(uuidViolation('/execution_id'));
  const envelope = body['outcome'] ?? null;
  if (envelope === null) violations.push(violation('/outcome', 'required', 'is missing'));
  if (violations.length > 0) throw new Refusal('request_invalid', { violations });

  const checked = checkEnvelope(envelope);
  if (!checked.ok) throw new Refusal('envelope_invalid', { violations: checked.violations });
  const outcome = checked.envelope;
  return isUuid(invocationId)
    ? { invocation_id: invocationId, outcome }
    : { execution_id: String(executionId), outcome };
}

function isUuid(value: unknown): value is string {
  return uuid4.safeParse(value).success;
}

function uuidViolation(path: string): Violation {
  return violation(path, 'uuid4', 'must be a UUID v4 in lower case');
}

function violation(path: string, rule: string, message: string): Violation {
  return { path, rule, message };
}

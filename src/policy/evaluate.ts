import type { AuthorizationAnswer, DetailedError } from '@cedar-policy/cedar-wasm/nodejs';
import { guarded } from './engine.ts';
import { ERROR_MESSAGE_MAX, MAX_ERRORS, MAX_MATCHING_WORK } from './limits.ts';
import { numberOf } from './policies.ts';
import { nameInCedar, type ParsedPolicySet, type PreparedPolicySet } from './prepare.ts';
import { type CedarRequest, type PolicyRequest, readRequest } from './request.ts';
import { type Answer, type EvaluationError, type Verdict, verdictOf } from './verdict.ts';

/** A decision of the policies, with what led to it. */
export interface Evaluation extends Verdict {
  /** The ids of the policies that decided, in the order of the set; empty when none matched. */
  determining: string[];
  /** Why the decision is an `escalate` although nobody asked for one; at most 100. Messages may quote the request. */
  errors: EvaluationError[];
  /** Whole microseconds, reading the request included. */
  latency_us: number;
}

/**
 * Asks a policy set. Whatever goes wrong while it is asked is an `escalate` with its reason, never an allow.
 *
 * @throws PolicyRequestInvalid when the request cannot be asked at all; there is no decision then
 */
export function evaluate(set: PreparedPolicySet, request: PolicyRequest): Evaluation {
  const started = performance.now();
  const parsed = set as ParsedPolicySet;
  const read = readRequest(request, parsed.types);
  const answer = ask(parsed, read.request, read.riskScore);
  return {
    ...verdictOf(answer),
    determining: answer.determining.map(({ id }) => id),
    errors: [...answer.errors],
    latency_us: Math.round((performance.now() - started) * 1000),
  };
}

/** What a set that cannot be asked decides: a human must. */
export function undecided(fault: Error): Evaluation {
  const errors: EvaluationError[] = [{ code: 'engine_failed', policy_id: null, message: shortened(fault.message) }];
  return {
    ...verdictOf({ decision: 'deny', determining: [], errors, riskScore: null }),
    determining: [],
    errors,
    latency_us: 0,
  };
}

function ask(set: ParsedPolicySet, request: CedarRequest, riskScore: number | null): Answer {
  const failed = (code: EvaluationError['code'], messages: readonly string[]): Answer => {
    const errors = messages.map((message) => ({ code, policy_id: null, message: shortened(message) }));
    return { decision: 'deny', determining: [], errors: limited(errors), riskScore };
  };
  const longest = longestText(request.context, longestText(request.entities, 0));
  if (set.patterns * longest > MAX_MATCHING_WORK) {
    const words = `patterns of ${set.patterns} characters against a text of ${longest} would keep everybody else waiting`;
    return failed('engine_failed', [words]);
  }
  let answer: AuthorizationAnswer;
  try {
    const name = nameInCedar(set);
    const schema = set.schema === null ? {} : { preparsedSchemaName: name, validateRequest: true };
    answer = guarded(() => set.cedar.statefulIsAuthorized({ ...request, ...schema, preparsedPolicySetId: name }));
  } catch (error) {
    return failed('engine_failed', [(error as Error).message]);
  }
  if (answer.type === 'failure') return failed('request_mismatch', answer.errors.map(wordsOf));
  const { decision, diagnostics } = answer.response;
  const failures = diagnostics.errors.map(({ policyId, error }) => ({ index: numberOf(policyId), error }));
  failures.sort((a, b) => a.index - b.index);
  const errors = failures.map(({ index, error }): EvaluationError => {
    return { code: 'policy_error', policy_id: set.policyIds[index] ?? null, message: shortened(wordsOf(error)) };
  });
  const determining = diagnostics.reason
    .map(numberOf)
    .sort((a, b) => a - b)
    .flatMap((index) => set.rules[index] ?? []);
  return { decision, determining, errors: limited(errors), riskScore };
}

/** UTF-16 units of the longest text in a value, at least `least`. */
function longestText(value: unknown, least: number): number {
  if (typeof value === 'string') return Math.max(least, value.length);
  if (typeof value !== 'object' || value === null) return least;
  return Object.values(value).reduce((most: number, one) => longestText(one, most), least);
}

function wordsOf({ message, help }: DetailedError): string {
  return help ? `${message}; ${help}` : message;
}

function shortened(message: string): string {
  if (message.length <= ERROR_MESSAGE_MAX) return message;
  const characters = [...message.slice(0, 2 * ERROR_MESSAGE_MAX)];
  return characters.length <= ERROR_MESSAGE_MAX ? message : `${characters.slice(0, ERROR_MESSAGE_MAX - 1).join('')}…`;
}

function limited(errors: readonly EvaluationError[]): EvaluationError[] {
  if (errors.length <= MAX_ERRORS) return [...errors];
  const kept = errors.slice(0, MAX_ERRORS - 1);
  return [
    ...kept,
    { code: 'policy_error', policy_id: null, message: `and ${errors.length - kept.length} more failed` },
  ];
}

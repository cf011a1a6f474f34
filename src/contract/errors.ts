/** A refusal's stable code, its HTTP status, and words for people. Printed into docs/errors.md. */
export interface ErrorEntry {
  readonly status: number;
  readonly title: string;
  /** What it means; a refusal may say something more exact in its own `detail`. */
  readonly detail: string;
  /** What the caller can do. */
  readonly remedy: string;
}

function entry(status: number, title: string, detail: string, remedy: string): ErrorEntry {
  return { status, title, detail, remedy };
}

const SEND_BODY = 'Correct what `violations` names and send the request again.';
const OTHER_ID = 'Read the recorded one; send other content under a new id.';

export const ERRORS = {
  json_invalid: entry(
    400,
    'The body is not readable JSON',
    'The body is not JSON, or holds something that could not be stored and read back exactly: a key twice, U+0000, half a surrogate pair, a number no double gives back, nesting over 64 levels.',
    'Correct the place that `violations` names and send the request again.',
  ),
  request_invalid: entry(
    422,
    'The request breaks its contract',
    'A member of the document, a path parameter or a query parameter is not as the contract says.',
    SEND_BODY,
  ),
  envelope_invalid: entry(
    422,
    'The envelope breaks its contract',
    'The outcome envelope breaks its schema, the status table or a rule, or differs from the start row it ends.',
    'Correct what `violations` names; `POST /outcomes/validate` and `outcome-ledger envelope check` try an envelope without recording it.',
  ),
  token_missing: entry(
    401,
    'No token',
    'The request carries no bearer token.',
    'Send `Authorization: Bearer <token>`.',
  ),
  token_invalid: entry(
    401,
    'The token is not accepted',
    'The token is malformed, signed by a key or algorithm that is not trusted, or meant for another issuer or audience.',
    'Fetch a new token from the issuer this ledger trusts.',
  ),
  token_expired: entry(401, 'The token has expired', 'The token is past its `exp`.', 'Fetch a new token and repeat.'),
  not_permitted: entry(
    403,
    'Not permitted',
    'The role of the caller does not allow this, or not about this subject, or the actor is disabled.',
    'Use a token whose `ledger_role` and `actor_id` fit the call; the matrix of roles is in docs/guarantees.md.',
  ),
  unknown_tenant: entry(
    403,
    'Unknown tenant',
    'The token names no tenant, or one this ledger does not know.',
    'Use a token whose `app_metadata.tenant_id` is a tenant of this ledger; `outcome-ledger tenant create` makes one.',
  ),
  append_only: entry(
    403,
    'The ledger only appends',
    'Recorded rows are never changed, removed or truncated, by anyone.',
    'Record a new fact instead; rows leave only through the retention policy.',
  ),
  not_found: entry(404, 'No such route or record', 'Nothing stands under this address.', 'Check the path.'),
  unknown_invocation: entry(
    404,
    'Unknown invocation',
    'No invocation of this tenant has this id.',
    'Write the start row first, and check the id and the token’s tenant.',
  ),
  unknown_execution: entry(
    404,
    'Unknown execution',
    'No execution of this tenant has this id.',
    'Start the execution first, and check the id and the token’s tenant.',
  ),
  unknown_outcome: entry(
    404,
    'Unknown outcome',
    'No outcome of this tenant has this id.',
    'Check the id and the token’s tenant.',
  ),
  unknown_policy_set: entry(
    404,
    'Unknown policy set',
    'No policy set of this tenant has this version, or the tenant has none yet.',
    'Check the version, or store a set first.',
  ),
  unknown_hitl_request: entry(
    404,
    'Unknown request to a human',
    'No request of this tenant has this id.',
    'Check the id; `GET /policy/hitl` lists the open ones.',
  ),
  unknown_webhook: entry(
    404,
    'Unknown webhook',
    'No webhook of this tenant has this id.',
    'Check the id; `GET /events/webhooks` lists them.',
  ),
  unknown_event: entry(404, 'Unknown event', 'No event of this tenant has this id.', 'Check the id.'),
  unknown_artifact: entry(
    404,
    'Unknown artifact',
    'No artifact of this tenant has this id.',
    'Check the id and the token’s tenant; `GET /invocations/{invocation_id}/inputs` lists what earlier phases left.',
  ),
  unknown_definition: entry(
    404,
    'Unknown definition',
    'No source definition of this tenant has this type, id and version.',
    'Check the three, or put the definition.',
  ),
  method_not_allowed: entry(
    405,
    'Method not allowed',
    'The address exists, but not with this HTTP method.',
    'Use a method that the `Allow` header names.',
  ),
  outcome_conflict: entry(
    409,
    'Another outcome was recorded first',
    'The subject has ended already, with other content. The first outcome stands; the late envelope is kept beside it.',
    'Read the outcome that `outcome_id` names and go on from it; do not retry.',
  ),
  invocation_conflict: entry(
    409,
    'The invocation was started otherwise',
    'This invocation id stands already, with other content.',
    OTHER_ID,
  ),
  execution_conflict: entry(
    409,
    'The execution was started otherwise',
    'This execution id stands already, with other content.',
    OTHER_ID,
  ),
  tool_call_conflict: entry(
    409,
    'The tool call was recorded otherwise',
    'This tool call id stands already, with other content.',
    OTHER_ID,
  ),
  policy_set_conflict: entry(
    409,
    'The policy set was stored otherwise',
    'This version stands already, with other content. A version never changes.',
    'Store the changed set under a new version.',
  ),
  hitl_request_conflict: entry(
    409,
    'The request stands otherwise',
    'This hitl_request_id stands already with other content, or the subject has another open request.',
    'Read the open request of the subject and go on from it.',
  ),
  hitl_conflict: entry(
    409,
    'The request was resolved first',
    'The request has its one answer already, and it is another one.',
    'Read the recorded resolution; it stands.',
  ),
  hitl_expired: entry(
    409,
    'The request has expired',
    'The request passed its expiry, by the database’s clock, before this answer came.',
    'Open a new request while the subject is open; an ended subject stays as it ended.',
  ),
  decision_conflict: entry(
    409,
    'The subject has another decision',
    'The invocation or execution has a recorded decision already; it is binding, and there is at most one.',
    'Read the recorded decision and follow it.',
  ),
  event_conflict: entry(
    409,
    'The event was registered otherwise',
    'This event id stands already, with other content, or is the id of a recorded outcome.',
    OTHER_ID,
  ),
  webhook_conflict: entry(
    409,
    'The webhook id is taken',
    'This webhook id stands already, with other content.',
    'Read the registered one; register other content under a new id.',
  ),
  link_conflict: entry(
    409,
    'The link exists otherwise',
    'The same source, target and relation are linked already, by other means.',
    'Use the link that is there.',
  ),
  definition_conflict: entry(
    409,
    'This version is defined otherwise',
    'A definition is never changed: this source and version stand already, with other content.',
    'Put the new content under a new version.',
  ),
  attempt_conflict: entry(
    409,
    'The attempt is taken',
    'Another invocation of this execution and step has this attempt number.',
    'Start with the next attempt number, or resend the start with its own invocation id.',
  ),
  invocation_closed: entry(
    409,
    'The invocation has ended',
    'After its outcome an invocation takes no tool call, decision, heartbeat or event.',
    'Start a new invocation.',
  ),
  execution_closed: entry(
    409,
    'The execution has ended',
    'After its outcome an execution takes no start and no decision.',
    'Start a new execution; `resumed_from_execution_id` can name this one.',
  ),
  payload_too_large: entry(
    413,
    'Too large',
    'The body, or one part of it, is over its limit.',
    'Send at most 1 MiB; store bulky data elsewhere and refer to it by id and hash.',
  ),
  artifact_too_large: entry(
    413,
    'An artifact is too large',
    'A file’s content is over 1 MiB, and this ledger has no object store for larger ones. Nothing was recorded.',
    'Leave the file out or cut it, or ask an operator to set `LEDGER_ARTIFACT_BUCKET`.',
  ),
  unsupported_media_type: entry(
    415,
    'Not JSON',
    'The request’s content type is not JSON.',
    'Send `Content-Type: application/json`.',
  ),
  undefined_source: entry(
    422,
    'The source is not defined',
    'This tenant accepts starts of defined sources only, and no definition has this type, id and version.',
    'Put the source definition first, with a token that may.',
  ),
  phase_failed: entry(
    409,
    'A phase has failed',
    'The execution is sequential, and its first failed phase ends it: no other phase starts, and the execution does not complete.',
    'Try the failed step again (same `step_id`, a higher `attempt`), or record the execution as failed.',
  ),
  governance_lowered: entry(
    422,
    'Governance may not be lowered',
    'The start asks for less supervision than the source’s definition, or drops or changes its verification.',
    'Leave `governance_class` and `verify` out, or ask for more.',
  ),
  deadline_invalid: entry(
    422,
    'The deadline is not acceptable',
    'The deadline lies in the past, or more than 30 days ahead, on the database’s clock.',
    'Send a deadline within 30 days, or `deadline_in_ms`.',
  ),
  schema_unchecked: entry(
    422,
    'The result was not checked',
    'The source’s definition holds a schema, and nobody vouches that the result was checked against it.',
    'Record through the `outcomes` function, which checks it.',
  ),
  result_schema_mismatch: entry(
    422,
    'The result breaks the source’s schema',
    '`result` or `quality.confidence` is not as the source’s definition says.',
    SEND_BODY,
  ),
  outcome_id_refused: entry(
    422,
    'The outcome id is the ledger’s to give',
    'The envelope carries an `outcome_id` that was not minted for this subject.',
    'Leave `outcome_id` out; the recorded envelope brings it.',
  ),
  policy_mismatch: entry(
    422,
    'The policy is not the recorded one',
    'The envelope’s `policy` differs from the recorded decision about this subject, or there is no such decision.',
    'Send `policy` exactly as it was recorded, or null when nothing was decided.',
  ),
  policy_required: entry(
    422,
    'A policy decision is required',
    'A subject whose governance class is not autonomous cannot succeed without a recorded decision `allow`.',
    'Have the policy guard record its decision first.',
  ),
  hitl_required: entry(
    422,
    'A human must approve first',
    'The decision asks for a human, and no approval is recorded.',
    'Wait for the approval, or end as `escalated`.',
  ),
  hitl_rejected: entry(
    422,
    'A human said no',
    'The request about this subject was rejected, so it can neither succeed nor partly succeed.',
    'End the subject as `failure`, `escalated` or `skipped`.',
  ),
  policy_set_invalid: entry(
    422,
    'The policy set is not acceptable',
    'The Cedar text or its schema cannot be parsed, does not fit together, or can never decide anything.',
    'Correct the line and column that `violations` names; `outcome-ledger policy check` tries a set without storing it.',
  ),
  policy_set_unchecked: entry(
    422,
    'The policy set was not checked',
    'Nobody vouches that this very set was parsed and validated.',
    'Store it through the `policy` function, which checks it.',
  ),
  evidence_invalid: entry(
    422,
    'The evidence contradicts itself or its outcome',
    'The word is not the one that the process decides, the outcome is one that never ran, or a required verification would be resolved away.',
    'Correct what `violations` names; docs/judgments.md has the table of processes.',
  ),
  evidence_conflict: entry(
    409,
    'The evidence stands otherwise',
    'Evidence of this id stands with other content, or the outcome has its one integration already.',
    'Read the recorded one; record other evidence under a new id.',
  ),
  gate_refused: entry(
    409,
    'The gate stays shut',
    'At least one of the outcomes is not judged to have succeeded, and no flag that would do was given.',
    'Read `violations`: each names the judgment, and the flag that would let it pass, if there is one.',
  ),
  unknown_subject: entry(
    404,
    'Unknown subject',
    'No outcome, invocation or execution of this tenant has this id.',
    'Check the id and the token’s tenant.',
  ),
  conclusion_invalid: entry(
    422,
    'The conclusion contradicts itself',
    'What was concluded of the phase is not what its report and its observation make, or an artifact is not what its hash says.',
    'Conclude through the `invocations` function, which weighs them; docs/phase-outcomes.md has the tables.',
  ),
  lineage_invalid: entry(
    422,
    'The link is not possible',
    'The relation does not fit the types of its ends, the ends are one outcome, or one end is unknown.',
    'Check both ids and the relation; the table of relations is in docs/sql.md.',
  ),
  isolation_unsupported: entry(
    422,
    'Unsupported isolation level',
    'The ledger records under read committed only, because its locks rest on it.',
    'Set `default_transaction_isolation` back to read committed.',
  ),
  unclaimed_outcome_id: entry(
    422,
    'The outcome id was never claimed',
    'A restored or replicated outcome has an id that was not minted for its table and tenant.',
    'Restore `outcome_ids` together with the outcome tables.',
  ),
  epoch_unsettled: entry(
    503,
    'The database was copied or restored',
    'This database is not the one the feed’s positions were taken from.',
    'An operator runs `outcome-ledger epoch new`.',
  ),
  schema_outdated: entry(
    503,
    'The schema is another version',
    'The database does not carry the schema this software was built for.',
    'Apply the migrations of this version; `outcome-ledger doctor` names the difference.',
  ),
  database_unavailable: entry(
    503,
    'The database is not available',
    'The database could not be reached, or had no room for the transaction. Nothing was recorded by this attempt.',
    'Repeat the same request after `Retry-After`; the same ids make it the same call.',
  ),
  object_store_unavailable: entry(
    503,
    'The object store is not available',
    'The store of large artifacts could not be reached, or refused what the ledger asked of it. Nothing was recorded.',
    'Repeat the same request after `Retry-After`; an operator finds the store’s answer in the log under `request_id`.',
  ),
  keys_unavailable: entry(
    503,
    'The signing keys are not available',
    'The issuer’s key set could not be read, so the token could not be judged. Nothing was recorded.',
    'Repeat the same request after `Retry-After`; an operator checks `LEDGER_JWKS_URL`.',
  ),
  internal_error: entry(
    500,
    'Something went wrong here',
    'An unexpected fault; its cause is in the server’s log under `request_id`.',
    'Repeat the same request; if it stays, report the `request_id`.',
  ),
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;
export const ERROR_CODES = Object.keys(ERRORS) as ErrorCode[];

export function isErrorCode(word: string): word is ErrorCode {
  return Object.hasOwn(ERRORS, word);
}

/** The page a problem's `type` points to. */
export function errorPage(code: ErrorCode, base = 'docs/errors.md'): string {
  return `${base}#${code}`;
}

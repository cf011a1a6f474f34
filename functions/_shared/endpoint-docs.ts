// The parts of a route that only its OpenAPI document shows. Documents are named, not spelled out: their schemas come from
// the contract when the document is generated, so that serving a request never pays for them.
import type { RouteConfig } from '@hono/zod-openapi';
import { ERRORS, type ErrorCode } from '../../src/contract/index.ts';

type Schema = Record<string, unknown>;
type Responses = RouteConfig['responses'];
type Body = NonNullable<NonNullable<RouteConfig['request']>['body']>;

/** A body: the schema (usually `ref('…')`), what it is, and one good example. */
export interface BodyDoc {
  schema: Schema;
  description: string;
  example?: unknown;
  required?: boolean;
}

/** A good answer: what it says and its schema. `replay` documents the header of a replay. */
export interface AnswerDoc {
  description: string;
  schema: Schema;
  example?: unknown;
  replay?: boolean;
}

/** A named schema of the document's components. */
export function ref(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` };
}

/** A page of a list. */
export function pageSchema(item: string): Schema {
  return {
    type: 'object',
    required: ['items', 'next_cursor'],
    properties: {
      items: { type: 'array', items: ref(item) },
      next_cursor: { type: ['string', 'null'], description: 'Null on the last page.' },
    },
  };
}

/** A batch's body: `{items}`, or the bare array. */
export function batchBody(item: string, example: unknown[]): BodyDoc {
  const items = { type: 'array', minItems: 1, maxItems: 1000, items: ref(item) };
  const schema = { oneOf: [{ type: 'object', required: ['items'], properties: { items } }, items] };
  return { schema, description: 'The items, as `{items: […]}` or as a bare array.', example: { items: example } };
}

/** A batch's answer: one entry an item, in the order sent. */
export function batchSchema(member: string, record: string): Schema {
  const item = {
    type: 'object',
    required: ['status', 'replayed'],
    properties: {
      status: {
        type: 'integer',
        description: 'What the single route would have answered.',
        examples: [201, 200, 409, 422],
      },
      replayed: { type: 'boolean' },
      [member]: ref(record),
      problem: ref('Problem'),
    },
  };
  return { type: 'object', required: ['items'], properties: { items: { type: 'array', items: item } } };
}

/** What a start can be refused for. */
export const START_ERRORS: readonly ErrorCode[] = [
  'unknown_execution',
  'execution_closed',
  'undefined_source',
  'governance_lowered',
  'deadline_invalid',
  'unknown_tenant',
];

/** What an outcome can be refused for. */
export const OUTCOME_ERRORS: readonly ErrorCode[] = [
  'envelope_invalid',
  'unknown_invocation',
  'unknown_execution',
  'outcome_conflict',
  'result_schema_mismatch',
  'schema_unchecked',
  'outcome_id_refused',
  'policy_mismatch',
  'policy_required',
  'hitl_required',
];

const EVERYWHERE: readonly ErrorCode[] = [
  'token_missing',
  'token_invalid',
  'token_expired',
  'not_permitted',
  'request_invalid',
  'database_unavailable',
  'schema_outdated',
  'epoch_unsettled',
  'keys_unavailable',
  'internal_error',
];
const WITH_BODY: readonly ErrorCode[] = ['json_invalid', 'payload_too_large', 'unsupported_media_type'];

export function bodyDoc(doc: BodyDoc): Body {
  const media = { schema: doc.schema, ...(doc.example === undefined ? {} : { example: doc.example }) };
  return {
    description: doc.description,
    required: doc.required ?? true,
    content: { 'application/json': media },
  } as Body;
}

export function answerDocs(answers: Record<number, AnswerDoc>, errors: readonly ErrorCode[], body: boolean): Responses {
  const documents: Record<string, unknown> = {};
  for (const [status, doc] of Object.entries(answers)) {
    const media = { schema: doc.schema, ...(doc.example === undefined ? {} : { example: doc.example }) };
    documents[status] = {
      description: doc.description,
      headers: headersOf(doc.replay ? ['Idempotent-Replayed'] : []),
      content: { 'application/json': media },
    };
  }
  const codes = new Set<ErrorCode>([...EVERYWHERE, ...(body ? WITH_BODY : []), ...errors]);
  for (const [status, list] of [...grouped(codes)].sort(([a], [b]) => a - b)) {
    documents[String(status)] = {
      description: list.map((code) => `\`${code}\`: ${ERRORS[code].detail}`).join('\n\n'),
      headers: headersOf(status === 503 ? ['Retry-After'] : []),
      content: {
        'application/problem+json': {
          schema: { allOf: [ref('Problem'), { properties: { code: { enum: list } } }] },
        },
      },
    };
  }
  return documents as Responses;
}

function grouped(codes: Iterable<ErrorCode>): Map<number, ErrorCode[]> {
  const groups = new Map<number, ErrorCode[]>();
  for (const code of codes) {
    const { status } = ERRORS[code];
    groups.set(status, [...(groups.get(status) ?? []), code]);
  }
  return groups;
}

function headersOf(names: string[]): Record<string, unknown> {
  const all = ['X-Request-Id', ...names];
  return Object.fromEntries(all.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

// The OpenAPI documents: one for each function, and one of all. Routes come from the functions themselves, documents from
// the contract, records from `openapi-records.ts`.
import { z } from '@hono/zod-openapi';
import { routesOf } from '../functions/_shared/app.ts';
import { FUNCTION_DEFINITIONS, type LedgerFunction } from '../functions/index.ts';
import { DOCUMENTS } from '../src/contract/documents/index.ts';
import type { GeneratedFile } from './generated-file.ts';
import { healthPath } from './openapi-health.ts';
import { judgmentSchemas } from './openapi-judgments.ts';
import { phaseSchemas } from './openapi-phases.ts';
import { recordSchemas } from './openapi-records.ts';

type Json = Record<string, unknown>;

const VERSION = '0.1.0';
const TITLE = 'Outcome Ledger';
const ABOUT =
  'Every agent invocation and every workflow execution ends in exactly one immutable outcome; ask what caused it, what it ' +
  'caused, and which policy let it through.\n\nEvery refusal is a problem document (RFC 9457) with a stable `code`; all ' +
  'codes stand in `docs/errors.md`. Every creating call can be repeated safely: the same ids and content are the same call.';

/** Every document, ready to be written or compared. */
export async function openapiFiles(): Promise<GeneratedFile[]> {
  const single = FUNCTION_DEFINITIONS.map((definition) => ({
    name: definition.name,
    text: documentOf(`${TITLE}: ${definition.name}`, definition.description, [definition]),
  }));
  const merged = { name: 'outcome-ledger', text: documentOf(TITLE, ABOUT, FUNCTION_DEFINITIONS) };
  return [...single, merged].map(({ name, text }) => ({ path: `docs/openapi/${name}.json`, text }));
}

function documentOf(title: string, description: string, definitions: readonly LedgerFunction[]): string {
  const paths = Object.assign({}, ...definitions.map(pathsOf)) as Json;
  const documents = documentSchemas();
  const document = {
    openapi: '3.1.0',
    info: { title, version: VERSION, description, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [
      {
        url: 'http://127.0.0.1:54321/functions/v1',
        description: 'A local stack; `outcome-ledger status` names its port.',
      },
      {
        url: 'https://{project}.supabase.co/functions/v1',
        description: 'A Supabase project.',
        variables: { project: { default: 'your-project' } },
      },
    ],
    tags: definitions.map((one) => ({ name: one.name, description: one.description })),
    paths,
    components: {
      securitySchemes: {
        token: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'JWT',
          description:
            'ES256 or RS256, `role` authenticated, with `app_metadata.tenant_id`, `app_metadata.ledger_role` and `app_metadata.actor_id`.',
        },
      },
      headers: HEADERS,
      schemas: used(paths, {
        ...documents,
        ...recordSchemas(documents),
        ...phaseSchemas(),
        ...judgmentSchemas(documents),
      }),
    },
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

const HEADERS = {
  'X-Request-Id': {
    description: 'Names the request in the logs; the caller’s own when it sent one.',
    schema: { type: 'string' },
  },
  'Idempotent-Replayed': {
    description: '`true`: nothing was recorded anew.',
    schema: { type: 'string', enum: ['true'] },
  },
  'Retry-After': {
    description: 'Seconds after which the same request may be repeated.',
    schema: { type: 'integer' },
  },
};

/** A function's routes as full paths, each operation tagged with the function. */
function pathsOf(definition: LedgerFunction): Json {
  const { paths = {} } = routesOf(definition).getOpenAPI31Document({
    openapi: '3.1.0',
    info: { title: '', version: '' },
  });
  const tagged = Object.entries(paths).map(([path, operations]) => [
    path.replace(/(?<=.)\/$/, ''),
    Object.fromEntries(
      Object.entries(operations as Json).map(([method, one]) => [
        method,
        { tags: [definition.name], ...(one as Json) },
      ]),
    ),
  ]);
  return { ...Object.fromEntries(tagged), ...healthPath(definition.name) };
}

const DOCUMENT_NAMES = {
  envelope: 'Envelope',
  invocation_start: 'InvocationStart',
  execution_start: 'ExecutionStart',
  tool_call: 'ToolCall',
  policy_decision: 'PolicyDecision',
  policy_evaluation: 'PolicyEvaluation',
  policy_set: 'PolicySet',
  phase_report: 'PhaseReportRow',
  artifact: 'ArtifactRow',
  hitl_request: 'HitlRequest',
  hitl_resolution: 'HitlResolution',
  verification: 'Verification',
  delivery_assessment: 'DeliveryAssessment',
  integration: 'Integration',
  lifecycle_event: 'LifecycleEvent',
  gate: 'GateRequest',
  cancellation: 'Cancellation',
  event: 'Event',
  link: 'Link',
  webhook: 'Webhook',
  webhook_rotation: 'WebhookRotation',
  webhook_redelivery: 'WebhookRedelivery',
  source_definition: 'SourceDefinition',
} as const satisfies Record<keyof typeof DOCUMENTS, string>;

/** The contract's documents, with the rules that no schema can say in words. */
function documentSchemas(): Json {
  const named = Object.entries(DOCUMENT_NAMES).map(([document, name]) => {
    const { schema, rules } = DOCUMENTS[document as keyof typeof DOCUMENTS];
    const { $schema: _, ...json } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Json;
    const said = rules.map((rule) => `- ${rule.path === '' ? 'the document' : `\`${rule.path}\``} ${rule.message}`);
    const about = said.length > 0 ? { description: [...new Set(said)].join('\n') } : {};
    return [name, { ...about, ...json }];
  });
  return Object.fromEntries(named);
}

/** The schemas that the paths refer to, directly or through each other. */
function used(paths: Json, all: Json): Json {
  const wanted = new Set<string>();
  const visit = (value: unknown): void => {
    for (const [, name] of JSON.stringify(value).matchAll(/"#\/components\/schemas\/(\w+)"/g)) {
      if (name === undefined || wanted.has(name)) continue;
      if (!(name in all)) throw new Error(`the schema ${name} is referred to but not defined`);
      wanted.add(name);
      visit(all[name]);
    }
  };
  visit(paths);
  return Object.fromEntries(Object.entries(all).filter(([name]) => wanted.has(name)));
}

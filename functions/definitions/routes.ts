// Source definitions: who puts one says what an agent or workflow may do, so that no run can say it of itself.
import { z } from '@hono/zod-openapi';
import type { Violation } from '../../src/contract/index.ts';
import { getSourceDefinition, putSourceDefinition, Refusal } from '../../src/database/index.ts';
import { foundAnswer, KINDS, recordedAnswer } from '../_shared/answers.ts';
import type { LedgerFunction } from '../_shared/app.ts';
import { readObject } from '../_shared/body.ts';
import { requireDocument, withPathMember } from '../_shared/documents.ts';
import { endpoint } from '../_shared/endpoint.ts';
import { ref } from '../_shared/endpoint-docs.ts';
import { EXAMPLES } from '../_shared/examples.ts';
import { nameParameter, versionParameter, wordParameter } from '../_shared/parameters.ts';
import { compileSchema } from '../_shared/schema-compiler.ts';

const PATH = '/{source_type}/{id}/{version}';
const PARAMS = z.strictObject({
  source_type: wordParameter('What is defined.', ['agent', 'workflow']),
  id: nameParameter('The agent or workflow.', 'art-agt-003'),
  version: versionParameter('SemVer 2.0.0 of the definition.'),
});

const put = endpoint({
  method: 'put',
  path: PATH,
  operationId: 'putDefinition',
  summary: 'Put a source definition',
  description:
    'Records one version of an agent’s or workflow’s contract. Definitions never change: the same content again is a ' +
    'replay, other content a conflict; put a new version instead. Output and confidence schemas are JSON Schema 2020-12 ' +
    'without references to elsewhere; one that does not compile is refused here. Operators only.',
  params: PARAMS,
  body: {
    schema: ref('SourceDefinition'),
    description: 'The definition; `source_type`, `source_id` and `version` may be left to the path.',
    example: EXAMPLES.definition,
  },
  answers: {
    201: { description: 'Recorded.', schema: ref('SourceDefinitionRecord') },
    200: { description: 'Recorded before with the same content.', schema: ref('SourceDefinitionRecord'), replay: true },
  },
  errors: ['definition_conflict', 'unknown_tenant'],
  handle: async ({ request, params, session }) => {
    let body = await readObject(request);
    body = withPathMember(body, 'source_type', params.source_type);
    body = withPathMember(body, 'source_id', params.id);
    body = withPathMember(body, 'version', params.version);
    const definition = requireDocument('source_definition', body);
    const { output_schema, confidence_schema } = definition;
    const violations = [
      ...schemaViolations(output_schema, '/output_schema'),
      ...schemaViolations(confidence_schema, '/confidence_schema'),
    ];
    if (violations.length > 0) throw new Refusal('request_invalid', { violations });
    return recordedAnswer(await putSourceDefinition(session, definition), KINDS.definition);
  },
});

const get = endpoint({
  method: 'get',
  path: PATH,
  operationId: 'getDefinition',
  summary: 'Read a source definition',
  description: 'One version of an agent’s or workflow’s contract, as it was put.',
  params: PARAMS,
  answers: { 200: { description: 'The definition.', schema: ref('SourceDefinitionRecord') } },
  errors: ['unknown_definition'],
  handle: async ({ params, session }) =>
    foundAnswer(
      await getSourceDefinition(session, params.source_type, params.id, params.version),
      'unknown_definition',
    ),
});

export const DEFINITIONS: LedgerFunction = {
  name: 'definitions',
  description: 'Source definitions: the contracts of agents and workflows, one immutable row a version.',
  endpoints: [put, get],
};

function schemaViolations(schema: unknown, path: string): Violation[] {
  if (schema === null || schema === undefined) return [];
  const compiled = compileSchema(schema as Record<string, unknown>);
  return compiled.ok ? [] : compiled.violations.map((one) => ({ ...one, path: `${path}${one.path}` }));
}

// Policy sets: stored once they hold, read by version.
import { z } from '@hono/zod-openapi';
import { getPolicySet, listPolicySets, putPolicySet, Refusal } from '../../src/database/index.ts';
import { checkPolicySet, type Finding, maskFaults } from '../../src/policy/index.ts';
import { foundAnswer, KINDS, recordedAnswer } from '../_shared/answers.ts';
import { readObject } from '../_shared/body.ts';
import { requireDocument } from '../_shared/documents.ts';
import { type Endpoint, endpoint } from '../_shared/endpoint.ts';
import { pageSchema, ref } from '../_shared/endpoint-docs.ts';
import { EXAMPLES } from '../_shared/examples.ts';
import { filterOf, PAGE_PARAMETERS } from '../_shared/lists.ts';
import { versionParameter } from '../_shared/parameters.ts';

export const putSet: Endpoint = endpoint({
  method: 'post',
  path: '/sets',
  operationId: 'putPolicySet',
  summary: 'Store a policy set',
  description:
    'One version of the tenant’s policies in Cedar, by a policy guard. It is parsed and held against its schema first; every ' +
    'fault is named with line and column. The newest version stored is in force. A version never changes.',
  body: { schema: ref('PolicySet'), description: 'Cedar text, at most 256 KiB.', example: EXAMPLES.policySet },
  answers: {
    201: { description: 'Stored, and in force.', schema: ref('PolicySetRecord') },
    200: { description: 'Stored before with the same content.', schema: ref('PolicySetRecord'), replay: true },
  },
  errors: ['policy_set_invalid', 'policy_set_conflict'],
  handle: async ({ request, session }) => {
    const document = requireDocument('policy_set', await readObject(request));
    const masks = document.mask === null || document.mask === undefined ? [] : maskFaults(document.mask);
    const checked = await checkPolicySet({ policies: document.policies, schema: document.schema ?? null });
    const violations = [
      ...masks.map((fault) => ({ ...fault, path: `/mask${fault.path}` })),
      ...(checked.ok ? [] : checked.violations.map(violationOf)),
    ];
    if (!checked.ok || violations.length > 0) throw new Refusal('policy_set_invalid', { violations });
    const stored = await putPolicySet(session, document, checked.hash);
    const answer = recordedAnswer(stored, KINDS.policySet);
    return { ...answer, body: { ...(answer.body as object), warnings: checked.warnings.map(violationOf) } };
  },
});

/** Line and column travel with the violation, and in its words for who reads only those. */
function violationOf({ path, rule, message, ...place }: Finding) {
  const { line, column } = place as { line?: number; column?: number };
  const where = line === undefined ? '' : `line ${line}, column ${column}: `;
  return { path, rule, message: `${where}${message}`, ...(line === undefined ? {} : { line, column }) };
}

export const readSet: Endpoint = endpoint({
  method: 'get',
  path: '/sets/{version}',
  operationId: 'getPolicySet',
  summary: 'Read a policy set',
  description: 'One version; the list shows the set in force first.',
  params: z.strictObject({ version: versionParameter('The version.') }),
  answers: { 200: { description: 'The set.', schema: ref('PolicySetRecord') } },
  errors: ['unknown_policy_set'],
  handle: async ({ params, session }) => foundAnswer(await getPolicySet(session, params.version), 'unknown_policy_set'),
});

export const listSets: Endpoint = endpoint({
  method: 'get',
  path: '/sets',
  operationId: 'listPolicySets',
  summary: 'List policy sets',
  description: 'Newest first: the first one is in force.',
  query: z.strictObject(PAGE_PARAMETERS),
  answers: { 200: { description: 'A page.', schema: pageSchema('PolicySetRecord') } },
  errors: [],
  handle: async ({ query, session }) => ({ status: 200, body: await listPolicySets(session, filterOf(query)) }),
});

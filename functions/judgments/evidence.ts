// Recording what others than its agent observed of an outcome.
import { z } from '@hono/zod-openapi';
import { assessDelivery, recordIntegration, recordLifecycle, recordVerification } from '../../src/database/index.ts';
import { KINDS, recordedAnswer } from '../_shared/answers.ts';
import { readObject } from '../_shared/body.ts';
import { requireDocument, withId, withPathMember } from '../_shared/documents.ts';
import { type Endpoint, endpoint } from '../_shared/endpoint.ts';
import { ref } from '../_shared/endpoint-docs.ts';
import { EXAMPLES } from '../_shared/examples.ts';
import { uuidParameter } from '../_shared/parameters.ts';

const PARAMS = z.strictObject({ outcome_id: uuidParameter('The outcome.') });

export const verification: Endpoint = endpoint({
  method: 'post',
  path: '/{outcome_id}/verifications',
  operationId: 'recordVerification',
  summary: 'Record a verification',
  description:
    'What a verification said of an outcome that ran. How its process ended decides the word, never what it printed, and ' +
    'the ledger holds both against each other. The latest counts. Workers and orchestrators, never about their own work.',
  params: PARAMS,
  body: {
    schema: ref('Verification'),
    description: '`outcome_id` may be left to the path. With a `verification_id` a retry is the same call.',
    example: EXAMPLES.verification,
  },
  answers: {
    201: { description: 'Recorded.', schema: ref('VerificationRecord') },
    200: { description: 'Recorded before with the same content.', schema: ref('VerificationRecord'), replay: true },
  },
  errors: ['unknown_outcome', 'evidence_invalid', 'evidence_conflict'],
  handle: async ({ request, params, session }) => {
    const body = withPathMember(await readObject(request), 'outcome_id', params.outcome_id);
    const document = requireDocument('verification', withId(body, 'verification_id'));
    return recordedAnswer(await recordVerification(session, document), KINDS.verification);
  },
});

export const delivery: Endpoint = endpoint({
  method: 'post',
  path: '/{outcome_id}/deliveries',
  operationId: 'assessDelivery',
  summary: 'Assess what was delivered',
  description:
    '`hollow` (no output on any channel and no change) and `missing_deliverable` turn what counts as a success into a ' +
    'failure; an empty diff alone is neither. The latest counts. Workers and orchestrators, never about their own work.',
  params: PARAMS,
  body: {
    schema: ref('DeliveryAssessment'),
    description: '`outcome_id` may be left to the path. With an `assessment_id` a retry is the same call.',
    example: EXAMPLES.delivery,
  },
  answers: {
    201: { description: 'Recorded.', schema: ref('DeliveryRecord') },
    200: { description: 'Recorded before with the same content.', schema: ref('DeliveryRecord'), replay: true },
  },
  errors: ['unknown_outcome', 'evidence_invalid', 'evidence_conflict'],
  handle: async ({ request, params, session }) => {
    const body = withPathMember(await readObject(request), 'outcome_id', params.outcome_id);
    const document = requireDocument('delivery_assessment', withId(body, 'assessment_id'));
    return recordedAnswer(await assessDelivery(session, document), KINDS.delivery);
  },
});

export const integration: Endpoint = endpoint({
  method: 'post',
  path: '/{outcome_id}/integration',
  operationId: 'recordIntegration',
  summary: 'Record an integration',
  description:
    'What an outcome delivered was merged: its lifecycle becomes `merged`. It goes through the gate, and the flag that was ' +
    'needed, with its reason, is kept beside it. Once an outcome. Operators, never for their own work.',
  params: PARAMS,
  body: {
    schema: ref('Integration'),
    description: '`outcome_id` may be left to the path.',
    example: EXAMPLES.integration,
  },
  answers: {
    201: { description: 'Recorded.', schema: ref('IntegrationRecord') },
    200: { description: 'Recorded before with the same content.', schema: ref('IntegrationRecord'), replay: true },
  },
  errors: ['unknown_outcome', 'evidence_invalid', 'evidence_conflict', 'gate_refused'],
  handle: async ({ request, params, session }) => {
    const body = withPathMember(await readObject(request), 'outcome_id', params.outcome_id);
    return recordedAnswer(
      await recordIntegration(session, requireDocument('integration', body)),
      KINDS.integration,
      'The outcome has been integrated already, with another reference or for another reason; that stands.',
    );
  },
});

export const lifecycle: Endpoint = endpoint({
  method: 'post',
  path: '/lifecycle',
  operationId: 'recordLifecycle',
  summary: 'Say what an open run is doing',
  description:
    '`waiting`, `pending` or `running`, in the words of what runs it. A request to a human and a lapsed heartbeat say more, ' +
    'and an outcome ends it. Workers of what they started, and orchestrators; never about their own work.',
  body: {
    schema: ref('LifecycleEvent'),
    description: 'Exactly one of `invocation_id` and `execution_id`.',
    example: EXAMPLES.lifecycle,
  },
  answers: {
    201: { description: 'Recorded.', schema: ref('LifecycleRecord') },
    200: { description: 'Recorded before with the same content.', schema: ref('LifecycleRecord'), replay: true },
  },
  errors: ['unknown_invocation', 'unknown_execution', 'invocation_closed', 'execution_closed', 'evidence_conflict'],
  handle: async ({ request, session }) => {
    const document = requireDocument('lifecycle_event', withId(await readObject(request), 'lifecycle_event_id'));
    return recordedAnswer(await recordLifecycle(session, document), KINDS.lifecycle);
  },
});

// The gate: whether what was done may be built upon.
import { passGate } from '../../src/database/index.ts';
import { readObject } from '../_shared/body.ts';
import { requireDocument } from '../_shared/documents.ts';
import { type Endpoint, endpoint } from '../_shared/endpoint.ts';
import { ref } from '../_shared/endpoint-docs.ts';
import { EXAMPLES } from '../_shared/examples.ts';

export const gate: Endpoint = endpoint({
  method: 'post',
  path: '/gate',
  operationId: 'passGate',
  summary: 'Ask the gate',
  description:
    '`verified` and `delivered` proceed. `unverified` needs `allow_unverified` with a reason (orchestrators, operators); ' +
    '`broken` needs `override_broken` with a reason (operators); nobody passes with a flag for its own work. Everything else ' +
    'is refused. Either all pass or none, and a flag that was needed is recorded as an `os.gate.passed` event.',
  body: {
    schema: ref('GateRequest'),
    description: 'Outcomes, or the invocations and executions they end.',
    example: EXAMPLES.gate,
  },
  answers: { 200: { description: 'All pass.', schema: ref('GateAnswer') } },
  errors: ['gate_refused', 'unknown_subject'],
  handle: async ({ request, session }) => ({
    status: 200,
    body: await passGate(session, requireDocument('gate', await readObject(request))),
  }),
});

// The dry run: would this envelope pass, judged by its exact bytes, with no record in view and nothing written.
import { checkEnvelope, readStrictJson, type Violation } from '../../src/contract/index.ts';
import { MAX_BODY, MAX_DEPTH, readBytes } from '../_shared/body.ts';
import { type Endpoint, endpoint } from '../_shared/endpoint.ts';
import { ref } from '../_shared/endpoint-docs.ts';
import { EXAMPLES } from '../_shared/examples.ts';

export const validate: Endpoint = endpoint({
  method: 'post',
  path: '/validate',
  operationId: 'validateOutcome',
  summary: 'Check an envelope without recording it',
  description:
    'The body is a bare envelope, of any content type; its exact bytes are judged, unreadable ones too. What only the ' +
    'ledger knows (the subject, decisions about it, registered schemas) is not looked at. Nothing is written.',
  body: { schema: ref('Envelope'), description: 'The envelope.', example: EXAMPLES.outcome.outcome },
  answers: { 200: { description: 'The judgment, whatever it is.', schema: ref('Validation') } },
  errors: [],
  handle: async ({ request }) => {
    const violations = judge(await readBytes(request, MAX_BODY));
    return { status: 200, body: { valid: violations.length === 0, violations } };
  },
});

function judge(bytes: Uint8Array): Violation[] {
  const read = readStrictJson(bytes, { maxBytes: MAX_BODY, maxDepth: MAX_DEPTH });
  if (!read.ok) return read.violations;
  const checked = checkEnvelope(read.value);
  return checked.ok ? [] : checked.violations;
}

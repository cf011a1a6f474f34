import * as z from 'zod';
import type { Rule } from '../rules/rule.ts';
import { freeObject, idText, name, semver, uuid4 } from '../scalars/index.ts';
import { DATA_MAX_BYTES, within } from './parts.ts';

/** A question to the ledger's own policy guard: may this subject do this to that. Numbers with a fraction become Cedar decimals. */
export const policyEvaluationSchema = z.strictObject({
  invocation_id: uuid4.nullish(),
  execution_id: uuid4.nullish(),
  action: name,
  /** {type, id, attributes?}. */
  resource: freeObject,
  context: freeObject.nullish(),
  /** The guard's own source beside its id, which is the token's actor_id. */
  guard: z.strictObject({ version: semver, domain: idText }).nullish(),
});

export const policyEvaluationRules: readonly Rule[] = [
  {
    rule: 'one_subject',
    path: '',
    need: { onePresent: ['/invocation_id', '/execution_id'] },
    message: 'must have exactly one of invocation_id and execution_id',
  },
  within('', DATA_MAX_BYTES),
];

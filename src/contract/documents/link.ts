import * as z from 'zod';
import type { Rule } from '../rules/rule.ts';
import { declaredRelation, uuid4 } from '../scalars/index.ts';

/** A lineage link that an orchestrator declares. */
export const linkSchema = z.strictObject({
  source_outcome_id: uuid4,
  target_outcome_id: uuid4,
  relation: declaredRelation,
});

export const linkRules: readonly Rule[] = [
  {
    rule: 'no_self_link',
    path: '/target_outcome_id',
    need: { textDiffers: ['/source_outcome_id', '/target_outcome_id'] },
    message: 'must not be the source itself',
  },
];

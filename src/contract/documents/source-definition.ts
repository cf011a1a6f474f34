import * as z from 'zod';
import type { Rule } from '../rules/rule.ts';
import { anyText, deadlineMs, freeObject, governanceClass, idText, semver, sourceType } from '../scalars/index.ts';

/** One version of an agent's or a workflow's contract; the schemas are JSON Schema 2020-12. */
export const sourceDefinitionSchema = z.strictObject({
  source_type: sourceType,
  source_id: idText,
  version: semver,
  domain: idText,
  governance_class: governanceClass.nullish(),
  verify: anyText.nullish(),
  output_schema: freeObject.nullish(),
  confidence_schema: freeObject.nullish(),
  execution_pattern: idText.nullish(),
  default_deadline_ms: deadlineMs.nullish(),
});

export const sourceDefinitionRules: readonly Rule[] = [
  {
    rule: 'pattern_of_workflow',
    path: '/execution_pattern',
    when: [{ is: ['/source_type', 'agent'] }],
    need: { absent: '/execution_pattern' },
    message: 'must be null for an agent',
  },
];

import type { Cast } from './cast.ts';
import { ALLOCATOR, GUARD, PATTERN, POLICIES, SELLER, WORKFLOW } from './story.ts';

/** Governance is not self-declared: an operator defines the sources, and what their results look like. */
export async function define(cast: Cast): Promise<void> {
  const agent = ({ id, version, domain }: typeof GUARD) => ({
    source_type: 'agent' as const,
    source_id: id,
    version,
    domain,
  });
  await cast.operator.definitions.put({
    source_type: 'workflow',
    source_id: WORKFLOW.id,
    version: WORKFLOW.version,
    domain: WORKFLOW.domain,
    governance_class: 'supervised',
    execution_pattern: PATTERN,
    output_schema: objectOf({
      allocated_editions: { type: 'integer', minimum: 0 },
      skipped_editions: { type: 'integer', minimum: 0 },
      allocation_report_id: { type: 'string' },
    }),
  });
  await cast.operator.definitions.put({
    ...agent(ALLOCATOR),
    output_schema: objectOf({ allocated_editions: { type: 'integer', minimum: 1 } }),
  });
  await cast.operator.definitions.put(agent(GUARD));
  await cast.operator.definitions.put({ ...agent(SELLER), governance_class: 'supervised' });
  await cast.guard.policy.put({ version: '1.0.0', policies: POLICIES });
}

function objectOf(properties: Record<string, object>): Record<string, unknown> {
  return { type: 'object', required: Object.keys(properties), properties, additionalProperties: false };
}

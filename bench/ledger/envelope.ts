/** Who records in the benchmarks: an agent recording as itself. */
export const SOURCE = { type: 'agent', id: 'art-agt-003', version: '1.4.2', domain: 'art' } as const;

/** What is known of an invocation before it is recorded. */
export type Start = { invocationId: string; correlationId: string; causationId: string };

const RESULT = {
  artwork_id: 'artwork-2026-000123',
  edition_size: 50,
  allocated_editions: 50,
  allocations: [
    { collector: 'collector-000017', editions: [1, 2, 3, 4, 5], channel: 'primary' },
    { collector: 'collector-000214', editions: [6, 7, 8, 9, 10, 11], channel: 'waiting-list' },
    { collector: 'collector-001999', editions: [12, 13, 14], channel: 'gallery' },
  ],
  summary: 'All editions were allocated by the rules of the release; nobody is above the limit per collector.',
};

const QUALITY = {
  confidence: 0.93,
  critique_notes: 'Allocation checked against the release rules and the holders of earlier editions.',
  iterations_used: 2,
  groundedness_score: 0.88,
  evaluator_agent_id: 'art-agt-009',
};

/** A success envelope of about 1 kB that ends `start`. */
export function envelopeOf(start: Start): Record<string, unknown> {
  return {
    outcome_version: '1.0',
    status: 'success',
    correlation_id: start.correlationId,
    causation_id: start.causationId,
    source: SOURCE,
    result: RESULT,
    quality: QUALITY,
    errors: [],
    escalation: null,
    policy: null,
    timing: { started_at: '2026-05-20T10:00:00.000Z', completed_at: '2026-05-20T10:00:01.850Z', duration_ms: 1850 },
    execution_context: null,
  };
}

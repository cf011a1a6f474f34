import { describe, expect, it } from 'vitest';
import type { Ended, SpanOrigin } from '../ledger.ts';
import { placeOf } from './ids.ts';
import { spanOf } from './span.ts';

const TENANT = '2f1c3a52-52a7-4f0e-8a55-3f2b6f7f1c11';
const TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
const ended: Ended = {
  tenant_id: TENANT,
  source_type: 'agent',
  subject_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  outcome_id: '7d444840-9dc0-41d1-b245-5ffdce74fad2',
  status: 'success',
  correlation_id: 'corr-xyz',
  causation_id: 'event-abc',
  source_id: 'art-agt-003',
  source_version: '1.1.0',
  domain: 'art',
  governance_class: 'autonomous',
  decision: null,
  origin: 'recorded',
  started_at: '2026-05-20T10:00:00.000000001Z',
  completed_at: '2026-05-20T10:00:01.85Z',
  error_code: null,
  execution_id: null,
  traceparent: null,
  cause: null,
  around: null,
};
const origin = (subject_id: string, over: Partial<SpanOrigin> = {}): SpanOrigin => ({
  subject_id,
  correlation_id: 'corr-xyz',
  traceparent: null,
  ...over,
});
const attributes = (span: ReturnType<typeof spanOf>) =>
  Object.fromEntries(span.attributes.map(({ key, value }) => [key, value.stringValue]));

describe('a span', () => {
  it('has ids of OTLP’s form, nanoseconds, and the conventions’ names', () => {
    const span = spanOf(ended);
    expect(span).toMatchObject({
      traceId: expect.stringMatching(/^[0-9a-f]{32}$/),
      spanId: expect.stringMatching(/^[0-9a-f]{16}$/),
      name: 'invoke_agent art-agt-003',
      kind: 1,
      startTimeUnixNano: '1779271200000000001',
      endTimeUnixNano: '1779271201850000000',
      status: {},
    });
    expect(span).not.toHaveProperty('parentSpanId');
    expect(attributes(span)).toEqual({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.agent.id': 'art-agt-003',
      'gen_ai.agent.name': 'art-agt-003',
      'gen_ai.agent.version': '1.1.0',
      'outcome_ledger.tenant.id': TENANT,
      'outcome_ledger.invocation.id': ended.subject_id,
      'outcome_ledger.outcome.id': ended.outcome_id,
      'outcome_ledger.outcome.status': 'success',
      'outcome_ledger.outcome.origin': 'recorded',
      'outcome_ledger.correlation.id': 'corr-xyz',
      'outcome_ledger.causation.id': 'event-abc',
      'outcome_ledger.source.version': '1.1.0',
      'outcome_ledger.domain': 'art',
      'outcome_ledger.governance_class': 'autonomous',
    });
  });

  it('of an execution is a workflow’s', () => {
    const span = spanOf({ ...ended, source_type: 'workflow', source_id: 'WF-1', execution_id: 'parent' });
    expect(span.name).toBe('invoke_workflow WF-1');
    expect(attributes(span)).toMatchObject({
      'gen_ai.operation.name': 'invoke_workflow',
      'gen_ai.workflow.name': 'WF-1',
      'outcome_ledger.execution.id': ended.subject_id,
      'outcome_ledger.parent_execution.id': 'parent',
    });
    expect(attributes(span)).not.toHaveProperty('gen_ai.agent.id');
  });

  it.each([
    ['success', undefined, undefined],
    ['partial', undefined, undefined],
    ['blocked', undefined, undefined],
    ['escalated', undefined, undefined],
    ['skipped', undefined, undefined],
    ['failure', 2, 'POLICY_BLOCKED'],
    ['timeout', 2, 'POLICY_BLOCKED'],
  ])('that ended %s has the status code %j', (status, code, type) => {
    const span = spanOf({ ...ended, status, error_code: 'POLICY_BLOCKED' });
    expect(span.status.code).toBe(code);
    expect(attributes(span)['error.type']).toBe(type);
  });

  it('of one correlation is in one trace, of another tenant’s in another', () => {
    const other = { ...ended, subject_id: 'b5c4f1de-0000-4000-8000-000000000001' };
    expect(spanOf(other).traceId).toBe(spanOf(ended).traceId);
    expect(spanOf(other).spanId).not.toBe(spanOf(ended).spanId);
    const foreign = { ...ended, tenant_id: '00000000-0000-4000-8000-000000000001' };
    expect(spanOf(foreign).traceId).not.toBe(spanOf(ended).traceId);
    expect(spanOf(foreign).spanId).not.toBe(spanOf(ended).spanId);
  });

  it('hangs below its cause’s span, else below that of the execution around it', () => {
    const [cause, around] = [origin('cause'), origin('around')];
    expect(spanOf({ ...ended, cause, around }).parentSpanId).toBe(placeOf(TENANT, cause).spanId);
    expect(spanOf({ ...ended, cause, around })).not.toHaveProperty('links');
    expect(spanOf({ ...ended, around }).parentSpanId).toBe(placeOf(TENANT, around).spanId);
    expect(spanOf({ ...ended, cause: origin(ended.subject_id) })).not.toHaveProperty('parentSpanId');
  });

  it('hangs below what its traceparent names, and is linked to its cause', () => {
    const cause = origin('cause');
    const span = spanOf({ ...ended, traceparent: TRACEPARENT, cause });
    expect([span.traceId, span.parentSpanId]).toEqual(['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7']);
    expect(span.links).toEqual([placeOf(TENANT, cause)]);
  });

  it('of a cause in another trace is linked to it and hangs below nothing', () => {
    const cause = origin('cause', { traceparent: TRACEPARENT });
    const span = spanOf({ ...ended, cause });
    expect(span).not.toHaveProperty('parentSpanId');
    expect(span.links).toEqual([
      { traceId: '4bf92f3577b34da6a3ce929d0e0e4736', spanId: placeOf(TENANT, cause).spanId },
    ]);
  });

  it('keeps every digit of a time, also before the year 2001', () => {
    const times = { started_at: '1970-01-01T00:00:00Z', completed_at: '1970-01-01T00:00:00.000000001+00:00' };
    expect(spanOf({ ...ended, ...times })).toMatchObject({ startTimeUnixNano: '0', endTimeUnixNano: '1' });
  });
});

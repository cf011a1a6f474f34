import { describe, expect, it } from 'vitest';
import type { EvidenceFacts } from '../graph/graph.ts';
import { feedRow as feedRowWith, keyOf, type RawRow } from './changes.ts';

const TENANT = '5f0c9a4e-1d2b-4c3a-9e8f-000000000001';
const KEY = { outcome_id: 'o', tenant_id: TENANT };
const BROKEN: EvidenceFacts = {
  verification: 'failed',
  verification_required: true,
  assessment: null,
  integrated: true,
  awaiting_until: null,
};
const NOTHING = { ofOutcome: () => undefined, ofRequest: () => undefined };
const feedRow = (row: RawRow) => feedRowWith(row, NOTHING);
const raw = (kind: string, content: RawRow['content']): RawRow => ({
  epoch: 2,
  xid: '9007199254740993',
  seq: '9007199254740991',
  tenant_id: TENANT,
  kind,
  content,
});

describe('a feed row', () => {
  it('keeps its place: transaction ids as text, the sequence as a number', () => {
    const row = feedRow(raw('tombstones', { table_name: 'workflow_outcomes', row_key: { outcome_id: 'o' } }));
    expect(row).toEqual({
      kind: 'tombstones',
      epoch: 2,
      xid: '9007199254740993',
      seq: 9007199254740991,
      tenant_id: TENANT,
      change: { type: 'outcome_deleted', key: { outcome_id: 'o', tenant_id: TENANT } },
    });
    expect(keyOf(row)).toEqual({ outcome_id: 'o' });
  });

  it('carries the facts that a graph may hold and nothing else of the row', () => {
    const content = {
      outcome_id: 'o',
      source_type: 'agent',
      invocation_id: 'i',
      execution_id: 'e',
      recorded_by: 'x',
      verdict: 'y',
    };
    const { change } = feedRow(raw('agent_invocation_outcomes', { ...content, outcome_envelope: { result: 1 } }));
    const facts = change.type === 'outcome' ? change.facts : undefined;
    expect(Object.keys(facts ?? {}).sort()).toEqual(
      [
        ...[
          'outcome_id',
          'tenant_id',
          'source_type',
          'source_id',
          'source_version',
          'domain',
          'governance_class',
          'status',
        ],
        ...[
          'invocation_id',
          'execution_id',
          'correlation_id',
          'causation_id',
          'decision',
          'escalation_target',
          'origin',
        ],
        ...['completion_reason', 'started_at', 'completed_at', 'recorded_at', 'duration_ms'],
        ...['verification', 'verification_required', 'assessment', 'integrated', 'awaiting_until'],
      ].sort(),
    );
    expect(facts).toMatchObject({ tenant_id: TENANT, invocation_id: 'i', execution_id: 'e' });
    expect(feedRow(raw('workflow_outcomes', content)).change).toMatchObject({
      facts: { invocation_id: null, execution_id: 'e' },
    });
  });

  it('of a link is identified by its ends and its relation, also when it is deleted', () => {
    const ends = { source_outcome_id: 'a', target_outcome_id: 'b', relation: 'invoked' };
    const link = feedRow(raw('agent_lineage_links', { ...ends, link_id: 'l', declared_by: null }));
    expect(link.change).toMatchObject({ type: 'link', facts: { ...ends, link_id: 'l', tenant_id: TENANT } });
    expect(keyOf(link)).toEqual(ends);
    const row_key = { ...ends, link_id: 'l', source_type: 'agent' };
    const deletion = feedRow(raw('tombstones', { table_name: 'agent_lineage_links', row_key }));
    expect(deletion.change).toEqual({ type: 'link_deleted', key: { ...ends, tenant_id: TENANT } });
    expect(keyOf(deletion)).toEqual(ends);
  });

  it('of an outcome has the evidence as it stands, or what its own row says without any', () => {
    const row = raw('workflow_outcomes', { outcome_id: 'o', verification_required: true });
    expect(feedRow(row).change).toMatchObject({
      facts: { verification: null, verification_required: true, assessment: null, integrated: false },
    });
    const found = { ...NOTHING, ofOutcome: (tenant: string, id: string) => facts(tenant, id) };
    expect(feedRowWith(row, found).change).toMatchObject({ type: 'outcome', facts: BROKEN });
  });

  it('of evidence is what stands about its outcome, whatever the row says', () => {
    const row = raw('outcome_verifications', { outcome_id: 'o', verification: 'passed' });
    const found = { ...NOTHING, ofOutcome: facts };
    expect(feedRowWith(row, found).change).toEqual({
      type: 'evidence',
      key: { outcome_id: 'o' },
      facts: { ...KEY, ...BROKEN },
    });
    expect(keyOf(feedRowWith(row, found))).toEqual({ outcome_id: 'o' });
    // The outcome was purged.
    expect(feedRow(row).change).toMatchObject({ type: 'evidence', facts: null });
  });

  it('of a request to a human, or its answer, is about the escalated outcome if there is one', () => {
    const found = { ...NOTHING, ofRequest: (tenant: string) => facts(tenant, 'o') };
    for (const kind of ['hitl_requests', 'hitl_resolutions']) {
      const row = raw(kind, { hitl_request_id: 'r', outcome_id: null });
      expect(feedRowWith(row, found).change).toMatchObject({ key: { hitl_request_id: 'r' }, facts: KEY });
      expect(feedRow(row).change).toEqual({ type: 'evidence', key: { hitl_request_id: 'r' }, facts: null });
    }
  });
});

const facts = (tenant_id: string, outcome_id: string) =>
  tenant_id === TENANT && outcome_id === 'o' ? { ...KEY, ...BROKEN } : undefined;

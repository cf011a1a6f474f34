import { expect, it } from 'vitest';
import { cloudEventOf } from './cloud-event.ts';

const event = {
  type: 'os.outcome.failed',
  source: 'art/agt 003',
  outcome_id: '7d444840-9dc0-41d1-b245-5ffdce74fad2',
  correlation_id: 'corr-xyz',
  causation_id: 'event-abc',
  occurred_at: '2026-05-20T10:00:01.850000Z',
  data: { outcome_id: '7d444840-9dc0-41d1-b245-5ffdce74fad2', status: 'failure' },
};

it('names ledger, tenant and source in a URI reference, and the outcome as its subject', () => {
  expect(cloudEventOf('id-1', event, 'tenant-1', 'https://ledger.example.com')).toEqual({
    specversion: '1.0',
    id: 'id-1',
    source: 'https://ledger.example.com/tenants/tenant-1/sources/art%2Fagt%20003',
    type: 'os.outcome.failed',
    subject: '7d444840-9dc0-41d1-b245-5ffdce74fad2',
    time: '2026-05-20T10:00:01.850000Z',
    datacontenttype: 'application/json',
    data: event.data,
    correlationid: 'corr-xyz',
    causationid: 'event-abc',
  });
});

it('an event of a request to a human is about the request; what is not known is absent', () => {
  const asked = { ...event, outcome_id: null, causation_id: null, data: { hitl_request_id: 'ask-1' } };
  const made = cloudEventOf('id-2', asked, 't', '/outcome-ledger');
  expect(made.subject).toBe('ask-1');
  expect(made).not.toHaveProperty('causationid');
  const bare = cloudEventOf('id-3', { ...event, outcome_id: null, correlation_id: null, data: null }, 't', '');
  expect([bare.subject, bare.correlationid, bare.data]).toEqual([undefined, undefined, {}]);
});

it('every attribute is of a type and a name that CloudEvents allows', () => {
  const { data, ...attributes } = cloudEventOf('id-1', event, 'tenant-1', '/outcome-ledger');
  for (const [name, value] of Object.entries(attributes)) {
    expect(name).toMatch(/^[a-z0-9]{1,20}$/);
    expect(typeof value).toBe('string');
    expect(value).not.toBe('');
  }
  expect(typeof data).toBe('object');
});

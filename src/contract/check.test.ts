import { describe, expect, it } from 'vitest';
import { checkDocument, checkEnvelope, violationsOf } from './check.ts';

const success = {
  outcome_version: '1.0',
  status: 'success',
  correlation_id: 'corr-xyz',
  causation_id: 'event-abc',
  source: { type: 'agent', id: 'os-agt-002', version: '1.0.0', domain: 'synedrix-os' },
  result: { decision: 'allow' },
  timing: { started_at: '2026-05-20T10:00:00.000Z', completed_at: '2026-05-20T10:00:00.042Z', duration_ms: 42 },
};
const rules = (value: unknown) => violationsOf('envelope', value).map(({ path, rule }) => `${path} ${rule}`);
const withSource = (change: object) => rules({ ...success, source: { ...success.source, ...change } });
const withTiming = (change: object) => rules({ ...success, timing: { ...success.timing, ...change } });

describe('checkEnvelope', () => {
  it('gives the stored form: absent members null, errors an empty list', () => {
    const checked = checkEnvelope({ ...success, quality: { confidence: 0.5 } });
    expect(checked).toMatchObject({
      ok: true,
      envelope: {
        outcome_id: null,
        errors: [],
        escalation: null,
        policy: null,
        execution_context: null,
        quality: { confidence: 0.5, critique_notes: null, iterations_used: null },
      },
    });
  });

  it('names path, rule and what was expected', () => {
    expect(violationsOf('envelope', { ...success, status: 'done' })).toEqual([
      {
        path: '/status',
        rule: 'status',
        message: 'must be one of success, partial, failure, blocked, escalated, timeout, skipped',
      },
    ]);
    expect(rules({ ...success, correlation_id: undefined })).toEqual(['/correlation_id required']);
    expect(rules({ ...success, errors: [{ code: 'X', message: 'm', recoverable: 'yes' }] })).toEqual([
      '/errors/0/recoverable boolean',
      '/errors status',
    ]);
  });

  it.each([null, undefined, [], 'x', 7, true])('refuses %j for a document', (value) => {
    expect(violationsOf('envelope', value)).toHaveLength(1);
  });

  it('refuses unknown members everywhere but in free objects, __proto__ too (B031)', () => {
    const strange = JSON.parse('{"__proto__":{"x":1},"constructor":1,"a/b~c":1}');
    const names = ['/__proto__ unknown_member', '/constructor unknown_member', '/a~1b~0c unknown_member'];
    expect(rules(mixed(success, strange))).toEqual(names);
    expect(rules({ ...success, timing: mixed(success.timing, strange) })).toEqual(names.map((n) => `/timing${n}`));
    const checked = checkEnvelope({ ...success, result: strange });
    expect(checked.ok && Object.keys(checked.envelope.result ?? {})).toEqual(['__proto__', 'constructor', 'a/b~c']);
  });

  function mixed(a: object, b: object): object {
    return Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(a), ...descriptors(b) });
  }
  function descriptors(value: object): PropertyDescriptorMap {
    const all = Object.create(null);
    for (const key of Object.keys(value)) all[key] = Object.getOwnPropertyDescriptor(value, key);
    return all;
  }

  it('refuses what is no JSON: NaN, dates, functions, half surrogate pairs, cycles', () => {
    const cycle: Record<string, unknown> = {};
    cycle['again'] = cycle;
    const parts = { nan: Number.NaN, date: new Date(0), call: () => 1, big: 1n, half: '\ud83d', nul: 'a\u0000' };
    const found = rules({ ...success, result: parts });
    expect(found).toEqual([
      '/result/nan json',
      '/result/date json',
      '/result/call json',
      '/result/big json',
      '/result/half text_storable',
      '/result/nul text_storable',
    ]);
    expect(rules({ ...success, result: cycle })).toEqual([`/result${'/again'.repeat(63)} nesting`]);
  });

  it.each([
    ['2026-05-20T10:00:00z', false],
    ['2026-05-20T24:00:00Z', false],
    ['2026-05-20T09:59:60Z', false],
    ['2026-02-30T10:00:00Z', false],
    ['+010000-01-01T00:00:00Z', false],
    ['10000-01-01T00:00:00Z', false],
    ['now', false],
    ['infinity', false],
    ['2026-05-20T10:00:00+99:00', false],
    ['2026-05-20T10:00Z', false],
    ['1969-12-31T23:59:59Z', false],
    ['2026-05-20T09:00:00.123456Z', true],
    ['2026-05-20T09:00:00.123456789Z', true],
    ['2026-05-20T09:00:00.1234567891Z', false],
    ['2026-05-20T09:00:00+00:00', true],
    ['2024-02-29T10:00:00Z', true],
    ['2023-02-29T10:00:00Z', false],
    ['2000-02-29T10:00:00Z', true],
    ['1970-01-01T00:00:00Z', true],
  ])('started_at %s: good is %s (B029)', (started_at, good) => {
    expect(withTiming({ started_at })).toEqual(good ? [] : ['/timing/started_at time']);
  });

  it.each([
    '0B9CC0DE-6C7E-4C39-9DF5-9B1C61A3D0F1',
    '{0b9cc0de-6c7e-4c39-9df5-9b1c61a3d0f1}',
    '0b9cc0de6c7e4c399df59b1c61a3d0f1',
    '00000000-0000-0000-0000-000000000000',
    'ffffffff-ffff-ffff-ffff-ffffffffffff',
    '01890a5d-ac96-774b-bcce-b302099a8057',
    '0b9cc0de-6c7e-9c39-9df5-9b1c61a3d0f1',
    '0b9cc0de-6c7e-4c39-cdf5-9b1c61a3d0f1',
  ])('outcome_id %s is refused (B030)', (outcome_id) => {
    expect(rules({ ...success, outcome_id })).toEqual(['/outcome_id uuid4']);
  });

  it('compares times at full precision and refuses a negative duration (B032)', () => {
    const started_at = '2026-05-20T10:00:00.000000002Z';
    expect(withTiming({ started_at, completed_at: '2026-05-20T10:00:00.000000001Z' })).toEqual([
      '/timing/completed_at time_order',
    ]);
    expect(withTiming({ started_at, completed_at: '2026-05-20T10:00:00.000000002+00:00' })).toEqual([]);
    expect(withTiming({ duration_ms: -5 })).toEqual(['/timing/duration_ms count']);
    expect(withTiming({ duration_ms: 3_600_000 })).toEqual([]);
  });

  it.each([
    ['1.0.0-0beta', true],
    ['1.0.0-0', true],
    ['1.0.0+01', true],
    ['1.0.0-01', false],
    ['v1.0.0', false],
    ['1.0', false],
    ['01.0.0', false],
    ['1.0.0-', false],
    [`1.0.0-${'0'.repeat(10_240)}`, false],
  ])('version %s: good is %s (B033)', (version, good) => {
    expect(withSource({ version })).toEqual(good ? [] : ['/source/version semver']);
  });

  it('counts code points, and a blank id is none', () => {
    expect(withSource({ id: '😀'.repeat(200) })).toEqual([]);
    expect(withSource({ id: '😀'.repeat(201) })).toEqual(['/source/id id_text']);
    expect(withSource({ id: ' \u2003' })).toEqual(['/source/id id_text']);
  });

  it('tells at most 100 violations', () => {
    const errors = Array.from({ length: 1_000 }, () => ({}));
    expect(violationsOf('envelope', { ...success, errors })).toHaveLength(100);
  });
});

describe('checkDocument', () => {
  const start = { source: { id: 'a', version: '1.0.0', domain: 'd' }, correlation_id: 'c' };
  const found = (document: object) =>
    violationsOf('invocation_start', { ...start, ...document }).map(({ path, rule }) => `${path} ${rule}`);

  it('wants exactly one cause and at most one deadline', () => {
    expect(found({})).toEqual([' one_cause']);
    expect(found({ causation_id: 'x', trigger: { type: 'a.b', source: 's' } })).toEqual([' one_cause']);
    expect(found({ causation_id: 'x', deadline_at: '2026-05-20T10:00:00Z', deadline_in_ms: 5 })).toEqual([
      ' one_deadline',
    ]);
    expect(found({ causation_id: 'x', attempt: 1 })).toEqual(['/attempt attempt_of_step']);
  });

  it('limits attributes to 4 KiB as stored', () => {
    expect(found({ causation_id: 'x', attributes: { a: 'x'.repeat(4_000) } })).toEqual([]);
    expect(found({ causation_id: 'x', attributes: { a: 'x'.repeat(4_096) } })).toEqual(['/attributes too_large']);
  });

  it('keeps the event types of the ledger for the ledger', () => {
    const event = { source: 's', type: 'os.outcome.succeeded' };
    expect(checkDocument('event', event)).toMatchObject({
      ok: false,
      violations: [{ path: '/type', rule: 'event_type' }],
    });
    expect(checkDocument('event', { ...event, type: 'oslo.fjord' })).toMatchObject({ ok: true });
  });
});

import { describe, expect, test } from 'vitest';
import { Refusal, refusalOf, toRefusal } from './refusals.ts';

const failed = (code: string, message = 'duplicate key value violates "secret_key"', detail = 'Key (a)=(b) exists.') =>
  Object.assign(new Error(message), { name: 'PostgresError', code, detail });

describe('what the ledger raises', () => {
  test('arrives with its violations, extra members and hint', () => {
    const detail = JSON.stringify({
      detail: 'No such thing.',
      violations: [{ path: '/a', rule: 'r', message: 'm' }],
      extra: { outcome_id: 'x' },
    });
    const refusal = toRefusal(Object.assign(failed('PT404', 'unknown_invocation', detail), { hint: 'Start it.' }));
    expect(refusal).toMatchObject({
      code: 'unknown_invocation',
      status: 404,
      detail: 'No such thing.',
      hint: 'Start it.',
      extra: { outcome_id: 'x' },
      violations: [{ path: '/a', rule: 'r', message: 'm' }],
      retryAfter: null,
    });
  });

  test('has the table’s words when it says none, and none of an unknown code', () => {
    expect(toRefusal(failed('PT403', 'not_permitted', 'not json')).detail).toMatch(/role of the caller/);
    expect(toRefusal(failed('PT400', 'no_such_code')).code).toBe('internal_error');
  });
});

describe('any other failure', () => {
  test.each([
    ['42501', 'not_permitted', 403],
    ['42883', 'schema_outdated', 503],
    ['22P02', 'request_invalid', 422],
    ['40P01', 'database_unavailable', 503],
    ['53300', 'database_unavailable', 503],
    ['55P03', 'database_unavailable', 503],
    ['57014', 'database_unavailable', 503],
    ['57P01', 'database_unavailable', 503],
    ['28P01', 'database_unavailable', 503],
    ['25006', 'database_unavailable', 503],
    ['CONNECTION_CLOSED', 'database_unavailable', 503],
    ['ECONNREFUSED', 'database_unavailable', 503],
    ['23505', 'internal_error', 500],
    ['23503', 'internal_error', 500],
    ['23514', 'internal_error', 500],
    ['23502', 'internal_error', 500],
    ['P0001', 'internal_error', 500],
    ['XX000', 'internal_error', 500],
  ])('%s is %s', (state, code, status) => {
    const refusal = toRefusal(failed(state));
    expect(refusal).toMatchObject({ code, status });
    expect(`${refusal.message} ${refusal.detail} ${refusal.hint} ${JSON.stringify(refusal.extra)}`).not.toMatch(
      /secret|Key \(/,
    );
  });

  test('a 503 says when to come back, and a refusal stays itself', () => {
    const refusal = toRefusal(failed('53300'));
    expect(refusal.retryAfter).toBe(1);
    expect(toRefusal(refusal)).toBe(refusal);
    expect(toRefusal(undefined).code).toBe('internal_error');
  });
});

test('a batch item’s refusal is read like a raised one', () => {
  expect(refusalOf({ code: 'outcome_conflict', status: 409, extra: { outcome_id: 'x' } })).toMatchObject({
    code: 'outcome_conflict',
    extra: { outcome_id: 'x' },
  });
  expect(refusalOf({}).code).toBe('internal_error');
  expect(refusalOf({ code: 'not_found' })).toBeInstanceOf(Refusal);
});

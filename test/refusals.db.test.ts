import { describe, expect, it } from 'vitest';
import { ERROR_CODES, ERRORS } from '../src/contract/index.ts';
import { useDatabase } from './support/database.ts';

const database = useDatabase();

interface Raised {
  code: string;
  message: string;
  detail: string;
  hint: string;
}

async function raised(statement: string, parameters: (string | null)[]): Promise<Raised> {
  return database.admin.unsafe(statement, parameters).then(
    () => expect.fail('nothing was raised'),
    (error: Raised) => error,
  );
}

async function refusalOf({ code, message, detail, hint }: Raised): Promise<unknown> {
  const [row] = await database.admin.unsafe('select ledger_internal.refusal_of($1, $2, $3, $4) as refusal', [
    code,
    message,
    detail,
    hint,
  ]);
  return row?.['refusal'];
}

describe('refusals raised by the database', () => {
  it.each(ERROR_CODES)('%s carries its status, words and remedy, and can be read back', async (code) => {
    const error = await raised('select ledger_internal.refuse($1)', [code]);
    const { status, detail, remedy } = ERRORS[code];
    expect(error).toMatchObject({ code: `PT${status}`, message: code, hint: remedy });
    expect(JSON.parse(error.detail)).toEqual({ detail, violations: [], extra: {} });
    expect(await refusalOf(error)).toEqual({ code, status, detail, violations: [], extra: {}, hint: remedy });
  });

  it('carry what the raiser says besides', async () => {
    const violations = [{ path: '/a', rule: 'r', message: 'm' }];
    const error = await raised('select ledger_internal.refuse($1, $2, $3::text::jsonb, $4::text::jsonb)', [
      'outcome_conflict',
      'said',
      JSON.stringify(violations),
      '{"outcome_id":"o"}',
    ]);
    const extra = { outcome_id: 'o' };
    expect(await refusalOf(error)).toMatchObject({ code: 'outcome_conflict', detail: 'said', violations, extra });
  });

  it('are none for an unknown code: that is a fault of ours', async () => {
    expect(await raised('select ledger_internal.refuse($1)', ['no_such_code'])).toMatchObject({ code: 'XX000' });
  });
});

describe('what else is raised', () => {
  it('is not_permitted when a right was missing, without the words of the database', async () => {
    const error = { code: '42501', message: 'permission denied for table x', detail: '{"detail":"row"}', hint: 'h' };
    expect(await refusalOf(error)).toMatchObject({ code: 'not_permitted', status: 403, ...words('not_permitted') });
  });

  it.each([
    ['23505', 'outcome_conflict'],
    ['PT404', 'no_such_code'],
    ['PT404', 'outcome_conflict'],
    ['40P01', 'deadlock detected'],
  ])('is null for %s %s, so that it is raised again', async (code, message) => {
    expect(await refusalOf({ code, message, detail: '', hint: '' })).toBeNull();
  });

  function words(code: 'not_permitted') {
    return { detail: ERRORS[code].detail, hint: ERRORS[code].remedy, violations: [], extra: {} };
  }
});

import { describe, expect, it } from 'vitest';
import { faultOf, LedgerUnreachable } from './faults.ts';
import { LedgerRefused } from './ledger.ts';

const thrown = (code: string, over: object = {}) =>
  Object.assign(new Error('relation "x" does not exist'), { code, ...over });

describe('an error of the driver or the server', () => {
  it.each([
    '57P01',
    '57P03',
    '08006',
    '25P03',
    '53300',
    '57014',
    '40001',
    'ECONNRESET',
    'CONNECT_TIMEOUT',
    'EAI_AGAIN',
    '22P02',
  ])('%s passes, and says so in words of its own', (code) => {
    const fault = faultOf(thrown(code));
    expect(fault).toBeInstanceOf(LedgerUnreachable);
    expect(fault).toMatchObject({ code, message: expect.stringContaining(`(${code})`), cause: expect.any(Error) });
    expect(fault.message).not.toContain('relation');
  });

  it.each([
    ['42501', 'not_permitted'],
    ['28P01', 'not_permitted'],
    ['3D000', 'database_unavailable'],
    ['42883', 'schema_outdated'],
    ['42P01', 'schema_outdated'],
  ])('%s is the refusal %s, with what to do', (code, word) => {
    const fault = faultOf(thrown(code));
    expect(fault).toBeInstanceOf(LedgerRefused);
    expect(fault).toMatchObject({ code: word, remedy: expect.stringMatching(/\w/) });
    expect(fault.message).not.toContain('relation');
  });

  it('raised by the ledger keeps its code, its words and its remedy', () => {
    const detail = JSON.stringify({ detail: 'The row is gone.', violations: [], extra: {} });
    const raised = thrown('PT503', { message: 'epoch_unsettled', detail, hint: 'Run it.' });
    expect(faultOf(raised)).toMatchObject({ code: 'epoch_unsettled', message: 'The row is gone.', remedy: 'Run it.' });
    const bare = faultOf(thrown('PT503', { message: 'epoch_unsettled', detail: 'not json' }));
    expect(bare).toMatchObject({ code: 'epoch_unsettled', remedy: expect.stringContaining('epoch new') });
  });

  it('that is a fault already stays itself', () => {
    const lost = new LedgerUnreachable('57P01', 'lost');
    expect(faultOf(lost)).toBe(lost);
    expect(faultOf('just a text')).toMatchObject({ code: 'unknown' });
  });
});

import { expect, test } from 'vitest';
import { Refusal } from './refusals.ts';
import { retrying } from './retry.ts';

const FAST = { attempts: 4, firstPauseMs: 1, budgetMs: 1000 };
const failing = (code: string, times: number) => {
  let calls = 0;
  const work = async () => {
    calls += 1;
    if (calls <= times) throw Object.assign(new Error('x'), { code });
    return calls;
  };
  return { work, calls: () => calls };
};

test.each(['40P01', '55P03', '53200', '40001', '57P01', 'CONNECTION_CLOSED', 'ECONNREFUSED'])(
  '%s is tried again',
  async (code) => {
    expect(await retrying(failing(code, 2).work, FAST)).toBe(3);
  },
);

test.each(['40P01', '55P03'])('%s that does not pass is a 503 with a time to come back', async (code) => {
  const { work, calls } = failing(code, 99);
  await expect(retrying(work, FAST)).rejects.toMatchObject({
    code: 'database_unavailable',
    status: 503,
    retryAfter: 1,
  });
  expect(calls()).toBe(4);
});

test('two writers meeting on one key look again, but not for ever', async () => {
  expect(await retrying(failing('23505', 2).work, FAST)).toBe(3);
  await expect(retrying(failing('23505', 9).work, FAST)).rejects.toMatchObject({ code: 'internal_error' });
});

test('a refusal and a broken statement are not tried again', async () => {
  let calls = 0;
  const refuse = async () => {
    calls += 1;
    throw new Refusal('not_permitted');
  };
  await expect(retrying(refuse, FAST)).rejects.toMatchObject({ code: 'not_permitted' });
  expect(calls).toBe(1);
  const broken = failing('42601', 1);
  await expect(retrying(broken.work, FAST)).rejects.toMatchObject({ code: 'internal_error' });
  expect(broken.calls()).toBe(1);
});

test('no try is begun after the budget', async () => {
  const { work, calls } = failing('40P01', 99);
  await expect(retrying(work, { attempts: 99, firstPauseMs: 20, budgetMs: 30 })).rejects.toBeInstanceOf(Refusal);
  expect(calls()).toBeLessThan(5);
});

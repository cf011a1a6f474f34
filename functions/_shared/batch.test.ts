import { expect, test } from 'vitest';
import { type BatchItem, Refusal } from '../../src/database/index.ts';
import { runBatch } from './batch.ts';

const recorded = (n: number): BatchItem => ({ result: 'recorded', record: { n } });
const numbers = (items: { n: number }[]) => items.map(({ n }) => recorded(n));
const many = (count: number) => Array.from({ length: count }, (_, n) => ({ n }));

test('runs in order, at most 100 at once, around items refused already', async () => {
  const sizes: number[] = [];
  const items = [...many(230), new Refusal('envelope_invalid'), { n: 230 }];
  const answers = await runBatch(items, async (chunk) => {
    sizes.push(chunk.length);
    return numbers(chunk);
  });
  expect(sizes).toEqual([100, 100, 31]);
  expect(answers[0]).toEqual(recorded(0));
  expect(answers[230]).toBeInstanceOf(Refusal);
  expect(answers[231]).toEqual(recorded(230));
});

test('a transaction refused as a whole is split until one item stands alone', async () => {
  const answers = await runBatch(many(10), async (chunk) => {
    if (chunk.some(({ n }) => n === 6)) throw new Refusal('not_permitted');
    return numbers(chunk);
  });
  expect(answers.map((answer) => (answer instanceof Refusal ? answer.code : 'ok')).indexOf('not_permitted')).toBe(6);
  expect(answers.filter((answer) => answer instanceof Refusal)).toHaveLength(1);
});

test('a database that goes away half-way leaves what was recorded said, and is not asked again', async () => {
  let calls = 0;
  const answers = await runBatch(many(350), async (chunk) => {
    calls += 1;
    if (calls > 1) throw new Refusal('database_unavailable');
    return numbers(chunk);
  });
  expect(calls).toBe(2);
  expect(answers.slice(0, 100).every((answer) => !(answer instanceof Refusal))).toBe(true);
  expect(answers.slice(100).every((answer) => answer instanceof Refusal && answer.status === 503)).toBe(true);
});

test('a database that was never there refuses the whole', async () => {
  const away = async () => {
    throw new Refusal('database_unavailable');
  };
  await expect(runBatch(many(2), away)).rejects.toMatchObject({ code: 'database_unavailable' });
});

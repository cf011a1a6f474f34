import { expect, test } from 'vitest';
import { runToEnd } from './ending.ts';

const never = () => false;

test('a function that ended is not touched by a later abort', async () => {
  const controller = new AbortController();
  const ending = await runToEnd(() => ({ x: 1 }), controller.signal, 10, never);
  controller.abort();
  expect(ending).toEqual({ kind: 'returned', value: { x: 1 } });
});

test('what is thrown, also at once, is an ending', async () => {
  const { signal } = new AbortController();
  const boom = new Error('boom');
  const work = () => {
    throw boom;
  };
  expect(await runToEnd(work, signal, 10, never)).toEqual({ kind: 'threw', thrown: boom });
});

test('an abort before the end decides, also over a value that comes within the grace', async () => {
  const controller = new AbortController();
  const work = async () => {
    controller.abort('stop');
    return { x: 1 };
  };
  expect(await runToEnd(work, controller.signal, 50, never)).toEqual({ kind: 'canceled', thrown: 'stop' });
});

test('a decision made in knowledge of the abort stands', async () => {
  const controller = new AbortController();
  const work = async () => {
    controller.abort('stop');
    return 'verdict';
  };
  const ending = await runToEnd(work, controller.signal, 50, (value) => value === 'verdict');
  expect(ending).toEqual({ kind: 'returned', value: 'verdict' });
});

test('what the function throws after the abort is kept', async () => {
  const controller = new AbortController();
  const own = new Error('own');
  const work = async () => {
    controller.abort('stop');
    throw own;
  };
  expect(await runToEnd(work, controller.signal, 50, never)).toEqual({ kind: 'canceled', thrown: own });
});

test('work that was aborted before it began does not begin', async () => {
  let ran = false;
  const ending = await runToEnd(() => (ran = true), AbortSignal.abort('stop'), 1_000, never);
  expect(ending).toEqual({ kind: 'canceled', thrown: 'stop' });
  expect(ran).toBe(false);
});

test('a function that ignores the abort is left behind after the grace', async () => {
  const controller = new AbortController();
  setTimeout(() => controller.abort('stop'), 5);
  const from = performance.now();
  const ending = await runToEnd(() => new Promise(() => {}), controller.signal, 20, never);
  expect(ending).toEqual({ kind: 'canceled', thrown: 'stop' });
  expect(performance.now() - from).toBeLessThan(30_000);
});

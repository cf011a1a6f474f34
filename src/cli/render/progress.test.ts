import { PassThrough } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { startProgress, withProgress } from './progress.ts';

function screen() {
  const stream = new PassThrough() as PassThrough & {
    isTTY: boolean;
    cursorTo: unknown;
    clearLine: unknown;
    columns: number;
  };
  Object.assign(stream, {
    isTTY: true,
    columns: 100,
    cursorTo: () => true,
    moveCursor: () => true,
    clearLine: () => true,
  });
  let text = '';
  stream.on('data', (chunk) => {
    text += String(chunk);
  });
  return { stream, text: () => text };
}

test('short work draws nothing', async () => {
  const { stream, text } = screen();
  await withProgress('working', { watched: true, total: 2, stream, quietMs: 50 }, async (progress) =>
    progress.step('more'),
  );
  await wait(80);
  expect(text()).toBe('');
});

test('longer work draws a bar with its steps and text', async () => {
  const { stream, text } = screen();
  const progress = startProgress('first', { watched: true, total: 3, stream, quietMs: 10 });
  progress.step('second');
  await wait(60);
  progress.step('third\u001b[2J');
  await wait(150);
  progress.stop();
  expect(text()).toMatch(/1\/3 {2}second/);
  expect(text()).toMatch(/2\/3 {2}third\\u001b\[2J/);
});

test('nothing is drawn where nobody watches, and more steps than announced are no error', async () => {
  const { stream, text } = screen();
  const progress = startProgress('first', { watched: false, total: 1, stream, quietMs: 1 });
  for (let n = 0; n < 5; n += 1) progress.step('next');
  await wait(30);
  progress.stop();
  expect(text()).toBe('');
});

test('the bar goes away when the work throws', async () => {
  const { stream } = screen();
  const failing = withProgress('x', { watched: true, total: 1, stream, quietMs: 1 }, async () => {
    await wait(20);
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
});

import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { collectOutput, WorkspaceFault } from './index.ts';

let workspace: string;
let outside: string;
let output: string;

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'outcome-ledger-collect-'));
  workspace = join(folder, 'workspace');
  outside = join(folder, 'outside');
  output = join(workspace, 'artifacts/output');
  mkdirSync(output, { recursive: true });
  mkdirSync(outside);
  writeFileSync(join(outside, 'secret'), 'a secret');
});
afterEach(() => rmSync(join(workspace, '..'), { recursive: true, force: true }));

function put(path: string, content: string | Uint8Array = path): void {
  const file = join(output, path);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, content);
}
const paths = async () =>
  (await collectOutput(workspace)).files.map(({ path }) => path.replace('artifacts/output/', ''));
const faultOf = (promise: Promise<unknown>): Promise<WorkspaceFault> =>
  promise.then(
    () => expect.unreachable('it resolved'),
    (error: unknown) => {
      expect(error).toBeInstanceOf(WorkspaceFault);
      return error as WorkspaceFault;
    },
  );

test('every file, those of a folder before those of its folders, each by name; junk is left out', async () => {
  for (const path of [
    'z.md',
    'a/b.md',
    'a/a/c.md',
    'B.md',
    'a.md',
    '.hidden',
    '__pycache__',
    'sub/__pycache__/x.pyc',
  ]) {
    put(path === '__pycache__' ? 'e/__pycache__' : path);
  }
  put('.pytest_cache/v/x');
  writeFileSync(join(workspace, 'artifacts/elsewhere.md'), 'not collected');
  expect(await paths()).toEqual(['.hidden', 'B.md', 'a.md', 'z.md', 'a/b.md', 'a/a/c.md', 'e/__pycache__']);
});

test('text as text, an empty file too, all else in base64', async () => {
  put('a', 'é 😀\r\n\ufeff');
  put('b', '');
  put('c', new Uint8Array([0xff, 0]));
  const { files } = await collectOutput(workspace);
  expect(files.map(({ content }) => content)).toEqual(['é 😀\r\n\ufeff', '', { base64: '/wA=' }]);
});

test('a workspace in which nothing was written gives nothing', async () => {
  expect(await paths()).toEqual([]);
  for (const gone of ['artifacts/output', 'artifacts']) {
    rmSync(join(workspace, gone), { recursive: true });
    expect(await collectOutput(workspace)).toEqual({ files: [], skipped: [] });
  }
});

test('a workspace that is not there is told', async () => {
  const error = await faultOf(collectOutput(join(workspace, 'nowhere')));
  expect(error).toMatchObject({ code: 'workspace_unreadable', path: '', message: expect.stringContaining('ENOENT') });
});

describe('a symbolic link is not followed', () => {
  test.each([
    ['to a file outside', () => symlinkSync(join(outside, 'secret'), join(output, 'x'))],
    ['to a file beside it', () => symlinkSync('good.md', join(output, 'x'))],
    ['to a directory outside', () => symlinkSync(outside, join(output, 'x'))],
    ['to nothing', () => symlinkSync('nowhere', join(output, 'x'))],
    ['to itself', () => symlinkSync('x', join(output, 'x'))],
    ['to the directory it is in', () => symlinkSync('.', join(output, 'x'))],
    ['to one above', () => symlinkSync('../..', join(output, 'x'))],
  ])('%s', async (_what, make) => {
    put('good.md');
    make();
    const { files, skipped } = await collectOutput(workspace);
    expect(files.map(({ path }) => path)).toEqual(['artifacts/output/good.md']);
    expect(skipped).toEqual([{ path: 'artifacts/output/x', reason: 'is a symbolic link' }]);
  });

  test.each(['artifacts/output', 'artifacts'])('in the place of %s', async (path) => {
    rmSync(join(workspace, path), { recursive: true });
    mkdirSync(join(outside, 'output'));
    writeFileSync(join(outside, 'output/secret'), 'x');
    symlinkSync(outside, join(workspace, path));
    const { files, skipped } = await collectOutput(workspace);
    expect(files).toEqual([]);
    expect(skipped).toEqual([{ path, reason: expect.stringContaining('a symbolic link') }]);
  });

  test('the workspace itself may be named through one', async () => {
    put('a.md');
    symlinkSync(workspace, join(outside, 'link'));
    expect((await collectOutput(join(outside, 'link'))).files).toHaveLength(1);
  });

  test('nor one that takes the place of a directory or a file while it is read', async () => {
    for (let n = 0; n < 10; n += 1) put(`d${n}/f`, 'mine');
    for (let n = 0; n < 10; n += 1) put(`f${n}`, 'mine');
    mkdirSync(join(outside, 'f-folder'));
    writeFileSync(join(outside, 'f'), 'a secret');
    let swaps = 0;
    let done = false;
    const swapping = (async () => {
      while (!done) {
        const n = swaps % 10;
        const [folder, file] = [join(output, `d${n}`), join(output, `f${n}`)];
        renameSync(folder, join(outside, 'moved-folder'));
        symlinkSync(outside, folder);
        renameSync(file, join(outside, 'moved-file'));
        symlinkSync(join(outside, 'secret'), file);
        await new Promise(setImmediate);
        rmSync(folder);
        renameSync(join(outside, 'moved-folder'), folder);
        rmSync(file);
        renameSync(join(outside, 'moved-file'), file);
        swaps += 1;
        await new Promise(setImmediate);
      }
    })();
    // Until both have had their turns at many moments.
    for (let round = 0; round < 20 || swaps < 50; round += 1) {
      const { files } = await collectOutput(workspace);
      expect([...new Set(files.map(({ content }) => content))]).toEqual(['mine']);
    }
    done = true;
    await swapping;
  });
});

test('pipes, sockets and what may not be read are passed over and told; nothing blocks', async () => {
  put('good.md');
  execFileSync('mkfifo', [join(output, 'pipe')]);
  const server = createServer().listen(join(output, 'sock'));
  await new Promise((resolve) => server.once('listening', resolve));
  put('closed.md');
  chmodSync(join(output, 'closed.md'), 0o000);
  const { files, skipped } = await collectOutput(workspace);
  server.close();
  // Root reads what nobody may.
  const asRoot = process.getuid?.() === 0;
  expect(files.map(({ path }) => path)).toEqual([
    ...(asRoot ? ['artifacts/output/closed.md'] : []),
    'artifacts/output/good.md',
  ]);
  expect(skipped).toEqual([
    ...(asRoot ? [] : [{ path: 'artifacts/output/closed.md', reason: 'may not be read' }]),
    { path: 'artifacts/output/pipe', reason: 'is a pipe' },
    { path: 'artifacts/output/sock', reason: 'is a socket' },
  ]);
});

test('names that name no artifact are told, and what lies below them is left', async () => {
  put('good.md');
  put('back\\slash/x.md');
  put('line\nbreak');
  writeFileSync(Buffer.concat([Buffer.from(`${output}/bad-`), Buffer.from([0xff])]), 'x');
  const { files, skipped } = await collectOutput(workspace);
  expect(files.map(({ path }) => path)).toEqual(['artifacts/output/good.md']);
  expect(skipped).toEqual([
    { path: 'artifacts/output/back\\slash', reason: 'its path holds a backslash; write / between folders' },
    { path: 'artifacts/output/bad-\ufffd', reason: 'its path is not UTF-8' },
    { path: 'artifacts/output/line\nbreak', reason: 'its path holds a control character' },
  ]);
});

describe('bounds', () => {
  test('in number, of whatever it is', async () => {
    for (let n = 0; n < 5; n += 1) put(`d/${n}`);
    expect((await collectOutput(workspace, { maxEntries: 6 })).files).toHaveLength(5);
    expect(await faultOf(collectOutput(workspace, { maxEntries: 5 }))).toMatchObject({
      code: 'output_too_large',
      message: expect.stringContaining('more than 5 files and folders'),
    });
  });

  test('in bytes, told with the file', async () => {
    put('a', 'x'.repeat(100));
    put('b', 'x'.repeat(100));
    expect((await collectOutput(workspace, { maxBytes: 200 })).files).toHaveLength(2);
    expect(await faultOf(collectOutput(workspace, { maxBytes: 199 }))).toMatchObject({
      code: 'output_too_large',
      path: 'artifacts/output/b',
    });
  });

  test('in bytes of the JSON they are sent in, told with the file', async () => {
    put('a', new Uint8Array(300).fill(255));
    put('b', '\u0001'.repeat(100));
    const { files } = await collectOutput(workspace);
    const maxJsonBytes = Buffer.byteLength(JSON.stringify(files)) - 1;
    expect((await collectOutput(workspace, { maxJsonBytes })).files).toHaveLength(2);
    const fault = await faultOf(collectOutput(workspace, { maxJsonBytes: maxJsonBytes - 1 }));
    expect(fault).toMatchObject({ code: 'output_too_large', path: 'artifacts/output/b' });
    expect(fault.message).toContain('as the JSON they are sent in');
    // 13 MiB that read as no text are more than 16 MiB of base64.
    put('c', new Uint8Array(13 * 2 ** 20).fill(255));
    expect(await faultOf(collectOutput(workspace))).toMatchObject({ path: 'artifacts/output/c' });
  });

  test('a file without an end that says it is empty is not read for ever', async () => {
    const { readAtMost } = await import('./read-at-most.ts');
    const { open } = await import('node:fs/promises');
    const endless = await open('/dev/zero');
    expect(await readAtMost(endless, 100_000)).toBeUndefined();
    await endless.close();
  });

  test('a tree as deep as a path may be', async () => {
    const deep = 'd/'.repeat(480);
    put(`${deep}f`);
    put(`${deep}d/d/d/d/d/d/d/f`);
    const { files, skipped } = await collectOutput(workspace);
    expect(files.map(({ path }) => path.length)).toEqual(
      [17 + 960 + 1, 17 + 974 + 1].filter((length) => length <= 1_000),
    );
    expect(skipped.length).toBe(0);
    put(`${deep}${'d/'.repeat(20)}f`);
    const [{ path, reason } = { path: '', reason: '' }] = (await collectOutput(workspace)).skipped;
    expect([path.length, reason]).toEqual([1_002, 'its path is longer than 1,000 characters']);
  });
});

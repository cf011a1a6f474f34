import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { WorkspaceFault, writeInput } from './index.ts';

let workspace: string;
let outside: string;
beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), 'outcome-ledger-input-'));
  workspace = join(folder, 'workspace');
  outside = join(folder, 'outside');
  mkdirSync(workspace);
  mkdirSync(outside);
});
afterEach(() => rmSync(join(workspace, '..'), { recursive: true, force: true }));

const bytes = (text: string) => new TextEncoder().encode(text);
const refusal = async (path: string, text = 'x') =>
  writeInput(workspace, path, bytes(text)).then(
    () => expect.unreachable('it was written'),
    (error: unknown) => {
      expect(error).toBeInstanceOf(WorkspaceFault);
      return error as WorkspaceFault;
    },
  );

test('a file is written, whole, and again is the same', async () => {
  const path = 'artifacts/input/plan/docs/plan.md';
  expect(await writeInput(workspace, path, bytes('# Plan'))).toBe('written');
  expect(readFileSync(join(workspace, path), 'utf8')).toBe('# Plan');
  expect(await writeInput(workspace, path, bytes('# Plan'))).toBe('unchanged');
  expect(await writeInput(workspace, 'artifacts/input/plan.md', bytes(''))).toBe('written');
  expect(readdirSync(join(workspace, 'artifacts/input/plan/docs'))).toEqual(['plan.md']);
});

test('what stands there already is not replaced', async () => {
  const path = 'artifacts/input/plan.md';
  await writeInput(workspace, path, bytes('# Plan'));
  for (const other of ['# Plot', '']) expect(await refusal(path, other)).toMatchObject({ code: 'input_exists', path });
  expect(readFileSync(join(workspace, path), 'utf8')).toBe('# Plan');
  mkdirSync(join(workspace, 'artifacts/input/folder'));
  expect(await refusal('artifacts/input/folder')).toMatchObject({ code: 'input_exists' });
  expect(await refusal(`${path}/below`)).toMatchObject({ code: 'input_exists', path });
});

test.each([
  ['', 'is empty'],
  ['/etc/passwd', 'is absolute'],
  ['../x', 'leads upwards'],
  ['artifacts/input/../../../x', 'leads upwards'],
  ['artifacts/input/', 'has an empty'],
  ['artifacts/output/x', 'is not below artifacts/input/'],
  ['artifacts/inputs/x', 'is not below'],
  ['artifacts\\input\\x', 'backslash'],
  ['C:/x', 'drive'],
  ['artifacts/input/a\u0000b', 'control character'],
])('the path %j is refused', async (path, reason) => {
  const error = await refusal(path);
  expect(error).toMatchObject({ code: 'input_path_refused', path });
  expect(error.message).toContain(reason);
  expect(readdirSync(workspace)).toEqual([]);
});

test.each(['artifacts', 'artifacts/input', 'artifacts/input/plan', 'artifacts/input/plan/plan.md'])(
  'a symbolic link in the place of %s is not gone through',
  async (path) => {
    mkdirSync(join(workspace, path, '..'), { recursive: true });
    symlinkSync(path.endsWith('.md') ? join(outside, 'plan.md') : outside, join(workspace, path));
    expect(await refusal('artifacts/input/plan/plan.md')).toMatchObject({ code: 'input_exists', path });
    writeFileSync(join(outside, 'plan.md'), 'x');
    expect(await refusal('artifacts/input/plan/plan.md')).toMatchObject({ code: 'input_exists', path });
    expect(readdirSync(outside)).toEqual(['plan.md']);
  },
);

test('a workspace that is not there is told', async () => {
  rmSync(workspace, { recursive: true });
  expect(await refusal('artifacts/input/x')).toMatchObject({ code: 'workspace_unreadable', path: '' });
});

// A new word on either axis does not build until somebody has decided what it means.
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, expect, it } from 'vitest';
import { judgmentTable } from '../src/contract/judgment/index.ts';
import { LIFECYCLES, VERIFICATIONS } from '../src/contract/judgment/words.ts';
import { judgmentCase, SQL } from './judgment-case.ts';

const ROOT = join(import.meta.dirname, '..');
const folders: string[] = [];
afterEach(async () => {
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true, force: true });
});

/** What the compiler says of the contract with one more word, as the table's own files stand. */
async function compiled(change: (words: string) => string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'judgment-words-'));
  folders.push(folder);
  for (const name of ['words.ts', 'derive.ts', 'table.ts']) {
    await cp(join(ROOT, 'src/contract/judgment', name), join(folder, name));
  }
  const words = join(folder, 'words.ts');
  await writeFile(words, change(await readFile(words, 'utf8')));
  const args = ['--noEmit', '--strict', '--target', 'es2023', '--module', 'nodenext', '--allowImportingTsExtensions'];
  const run = promisify(execFile)(
    process.execPath,
    [join(ROOT, 'node_modules/typescript/bin/tsc'), ...args, join(folder, 'table.ts')],
    { cwd: folder },
  );
  return run.then(
    () => '',
    (error: { stdout: string }) => error.stdout,
  );
}

it('builds as it stands', async () => {
  expect(await compiled((words) => words)).toBe('');
});

it.each([
  ['a lifecycle', "  'skipped',\n] as const;\nexport type Lifecycle ", 'archived', 'derive.ts'],
  ['a verification', "  'pending',\n] as const;\nexport type Verification ", 'flaky', 'derive.ts'],
  ['a judgment', "  'in_progress',\n] as const;\nexport type JudgmentWord ", 'doubted', 'derive.ts'],
  ['a reason', "['timed_out', 'infrastructure', 'no_result'", 'lost', 'table.ts'],
])('%s more is an error until it is decided', async (_what, before, word, file) => {
  const said = await compiled((words) => {
    expect(words).toContain(before);
    const [first, ...rest] = before.split(/(?<=',\n|'no_result')/);
    return words.replace(before, `${first}${first?.endsWith('\n') ? `  '${word}',\n` : `, '${word}'`}${rest.join('')}`);
  });
  expect(said).toContain(file);
  expect(said).toContain(word);
});

it('gives a word that no cell names no success in the generated text', () => {
  const text = judgmentCase(SQL, { lifecycle: 'l', verification: 'v', required: 'r', assessment: 'a' });
  expect(text.endsWith("else 'unverified' end")).toBe(true);
  for (const word of [...LIFECYCLES, ...VERIFICATIONS]) expect(text).toContain(`'${word}'`);
  expect(judgmentTable()).toHaveLength(140);
});

import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { useStack } from './support/stack.ts';
import { ROOT } from './support/tools.ts';

const stack = useStack();

test('the examples of docs/client.md run as they stand', async () => {
  const text = await readFile(join(ROOT, 'docs', 'client.md'), 'utf8');
  const code = [...text.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, block]) => block).join('\n');
  const { tenantId } = await stack.createTenant({ open: true });
  vi.stubEnv('OUTCOME_LEDGER_URL', stack.functionsUrl);
  vi.stubEnv('OUTCOME_LEDGER_TOKEN', await stack.mintToken({ tenantId, role: 'orchestrator', actorId: 'orc-1' }));
  const said: unknown[][] = [];
  const log = vi.spyOn(console, 'log').mockImplementation((...words) => void said.push(words));
  const folder = await mkdtemp(join(ROOT, 'test', '.docs-'));
  try {
    const file = join(folder, 'examples.ts');
    await writeFile(file, code.replaceAll("'outcome-ledger'", "'../../src/client/index.ts'"));
    await import(file);
  } finally {
    log.mockRestore();
    vi.unstubAllEnvs();
    await rm(folder, { recursive: true });
  }
  const id = expect.stringMatching(/^[0-9a-f-]{36}$/);
  expect(said).toEqual([
    ['success', { allocated_editions: 45 }, id],
    ['inventory lock', id],
    [['0 art-agt-003 success', '1 art-agt-004 success']],
    [expect.objectContaining({ parallel_task_count: 3, partial_failure_count: 1 })],
    [false, false, id],
    [2, true],
    ...['partial', 'failure', 'success', 'success'].map(() => [expect.any(String)]),
    [true, 'completed', 'success', 'Plan: artifacts/output/plan.md'],
    ['# Plan'],
    ['skipped'],
  ]);
});

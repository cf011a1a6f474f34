// When the embedded graph writes its log into its files, and what it does about a full buffer pool.
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { loadLibrary } from '../lineage/graph/embedded/library.ts';
import { Store, type StoreOptions } from '../lineage/graph/embedded/store.ts';

const MIB = 1024 * 1024;
const folder = mkdtempSync(join(tmpdir(), 'outcome-ledger-graph-store-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const FULL =
  'Buffer manager exception: Unable to allocate memory! The buffer pool is full and no memory could be freed!';

async function openStore(options: Partial<StoreOptions>) {
  const directory = mkdtempSync(join(folder, 'store-'));
  const store = await Store.open(directory, await loadLibrary(), options);
  onTestFinished(() => store.close());
  await store.run('CREATE NODE TABLE Note(id INT64 PRIMARY KEY, text STRING)');
  let id = 0;
  return {
    store,
    log: () => statSync(join(directory, 'graph.lbug.wal'), { throwIfNoEntry: false })?.size ?? 0,
    /** Makes the log about 300 kB longer. */
    async write() {
      const first = id;
      id += 300;
      await store.run('UNWIND range($first, $last) AS i CREATE (:Note {id: i, text: $text})', {
        first,
        last: id - 1,
        text: 'x'.repeat(1_000),
      });
    },
  };
}

it('a pause brings the checkpoint, steady writing does not', async () => {
  const { log, write } = await openStore({ bufferPool: 64 * MIB, pauseMs: 1_500 });
  let least = log();
  while (log() < 5 * MIB) {
    await write();
    expect(log()).toBeGreaterThan(least);
    least = log();
  }
  for (let waited = 0; log() > 0 && waited < 10_000; waited += 50) await sleep(50);
  expect(log()).toBe(0);
});

it('steady writing pays at the limit, before the next write', async () => {
  const { log, write } = await openStore({ bufferPool: 32 * MIB, pauseMs: 60_000 });
  let longest = 0;
  let checkpoints = 0;
  for (let n = 0, before = log(); n < 40; n += 1, before = log()) {
    await write();
    if (log() < before) checkpoints += 1;
    longest = Math.max(longest, log());
  }
  expect(checkpoints).toBeGreaterThan(0);
  expect(longest).toBeLessThan(5 * MIB);
});

it('a full buffer pool: a checkpoint, and once more', async () => {
  const { store, log, write } = await openStore({});
  await write();
  const logs: number[] = [];
  const answer = await store.transaction(async () => {
    logs.push(log());
    if (logs.length === 1) throw new Error(FULL);
    return 'done';
  });
  expect(answer).toBe('done');
  expect(logs[0]).toBeGreaterThan(0);
  expect(logs.slice(1)).toEqual([0]);
});

it('a buffer pool that stays full: a passing fault after the second time', async () => {
  const { store } = await openStore({});
  let times = 0;
  const failing = store.transaction(async () => {
    times += 1;
    throw new Error(FULL);
  });
  await expect(failing).rejects.toMatchObject({ name: 'GraphFault', kind: 'passing', code: 'buffer_pool_full' });
  expect(times).toBe(2);
  await expect(store.run('MATCH (n:Note) RETURN count(*) AS n')).resolves.toEqual([{ n: 0 }]);
});

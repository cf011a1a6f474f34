import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lockDirectory } from './lock.ts';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'outcome-ledger-lock-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const KINDS = [
  ['system', undefined],
  ['pid file', null],
] as const;

describe.each(KINDS)('the lock of a data directory, kind %s', (kind, tryLock) => {
  it('is held by one at a time, and free again after release', async () => {
    const first = await lockDirectory(dir, tryLock);
    expect(first?.kind).toBe(kind);
    expect(await lockDirectory(dir, tryLock)).toBeUndefined();
    first?.release();
    const second = await lockDirectory(dir, tryLock);
    expect(second).toBeDefined();
    second?.release();
  });

  it('gives 20 who ask at once one lock', async () => {
    const locks = await Promise.all(Array.from({ length: 20 }, () => lockDirectory(dir, tryLock)));
    expect(locks.filter(Boolean)).toHaveLength(1);
    locks.find(Boolean)?.release();
  });
});

describe('the pid file', () => {
  it('of a process that has died is taken over', async () => {
    writeFileSync(path.join(dir, 'lock.pid'), `${spawnSync('true').pid}\n`);
    expect((await lockDirectory(dir, null))?.kind).toBe('pid file');
  });

  it('just made and not yet written is respected, an old empty one is not', async () => {
    const file = path.join(dir, 'lock.pid');
    writeFileSync(file, '');
    expect(await lockDirectory(dir, null)).toBeUndefined();
    utimesSync(file, new Date(0), new Date(0));
    expect(await lockDirectory(dir, null)).toBeDefined();
  });
});

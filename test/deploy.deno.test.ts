// The deployment, rehearsed: the pinned Supabase CLI deploys every function against a stand-in of the Management API,
// and what it uploaded, laid out alone in an empty folder, runs on Deno and passes the functions' suite.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { functionNames } from './support/deno-functions.ts';
import { runFunctionsSuite } from './support/functions-suite.ts';
import { type ManagementApi, startManagementApi } from './support/management-api.ts';
import { ROOT, supabase } from './support/tools.ts';

const names = functionNames(ROOT);
const PROJECT = 'abcdefghijklmnopqrst';
let api: ManagementApi;
let folder: string;

beforeAll(async () => {
  api = await startManagementApi();
  folder = mkdtempSync(join(tmpdir(), 'ledger-deploy-'));
  const profile = join(folder, 'profile.yaml');
  writeFileSync(profile, `name: rehearsal\napi_url: ${api.url}\ndashboard_url: ${api.url}\nproject_host: 127.0.0.1\n`);
  for (const name of names) {
    const deployed = await supabase(
      ['functions', 'deploy', name, '--use-api', '--project-ref', PROJECT, '--profile', profile],
      { env: { SUPABASE_ACCESS_TOKEN: `sbp_${'0'.repeat(40)}` } },
    );
    expect(deployed, name).toMatchObject({ code: 0 });
    for (const [path, bytes] of api.uploads.get(name)?.files ?? []) {
      const target = join(folder, name, path);
      mkdirSync(dirname(target), { recursive: true });
      writeFileSync(target, bytes);
    }
  }
}, 180_000);

afterAll(async () => {
  await api?.stop();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

test('the ten functions of the house are there', () => {
  expect(names.toSorted()).toEqual([
    'artifacts',
    'definitions',
    'events',
    'executions',
    'invocations',
    'judgments',
    'lineage',
    'outcomes',
    'policy',
    'statistics',
  ]);
});

describe.each(names)('%s', (name) => {
  test('is uploaded with its entry point, its import map, and its own token check', () => {
    expect(api.uploads.get(name)?.metadata).toMatchObject({
      entrypoint_path: `functions/${name}/index.ts`,
      import_map_path: `functions/${name}/deno.json`,
      verify_jwt: false,
    });
  });

  test('carries only what a function may import', () => {
    const paths = [...(api.uploads.get(name)?.files.keys() ?? [])];
    expect(paths).toContain(`functions/${name}/app.ts`);
    const foreign = paths.filter(
      (path) => !/^(functions\/(_shared|[a-z]+)|src\/(contract|database|policy))\/[^.].*\.(ts|json)$/.test(path),
    );
    expect(foreign).toEqual([]);
    expect(paths.filter((path) => path.endsWith('.test.ts'))).toEqual([]);
  });
});

test('what was uploaded passes the functions’ suite on Deno', async () => {
  const result = await runFunctionsSuite({ root: folder, report: 'functions-deployed' });
  expect(result.failures).toEqual([]);
  expect(result.passed).toBeGreaterThan(0);
}, 600_000);

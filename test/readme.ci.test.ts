// The README's tour, pasted whole into a shell.
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, symlinkSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { useCli } from './support/cli.ts';
import { blocksOf, page, ROOT } from './support/docs-blocks.ts';

const cli = useCli();

test('every command of the tour runs, in the order in which it stands', async () => {
  // As in a clone: the package by its own name, and its command through npx.
  const own = path.join(cli.folder, 'node_modules/outcome-ledger');
  mkdirSync(own, { recursive: true });
  copyFileSync(path.join(ROOT, 'package.json'), path.join(own, 'package.json'));
  symlinkSync(path.resolve(path.dirname(cli.main), '../..'), path.join(own, 'dist'));
  const start = page('README.md').split('\n').indexOf('## Five minutes');
  const end = page('README.md').split('\n').indexOf('## Onto a Supabase project');
  const blocks = blocksOf('README.md', 'sh').filter(({ line }) => line > start && line < end);
  const script = [
    'set -euo pipefail',
    'npx() { shift; node "$MAIN" "$@"; }',
    "trap 'npx outcome-ledger down >/dev/null 2>&1 || true' EXIT",
    ...blocks.map(({ text }) => text),
  ].join('\n');
  const { PATH, HOME } = process.env;
  const { stdout } = await promisify(execFile)('bash', ['-c', script], {
    cwd: cli.folder,
    env: { PATH, HOME, MAIN: cli.main },
    timeout: 110_000,
  }).catch((error: { stdout?: string; stderr?: string }) => expect.fail(`${error.stdout}\n${error.stderr}`));
  const said = [
    /"state":"running"/,
    /"outcome_id":"[0-9a-f-]{36}"/,
    /^200$/m,
    /"code":"outcome_conflict"/,
    /^409$/m,
    /^success [0-9a-f-]{36}$/m,
    /"decision":"escalate"/,
    /a known customer|approved/,
    /CANCELED/,
    /^completed {2}[0-9a-f-]{36}$/m,
    /it says of its writes +denied/,
    /^writer@1\.0\.0 +shop/m,
    /verification +failed/,
    /judgment +broken {2}\[VFAIL\]/,
    /the gate stays shut/,
    /override_broken: a draft is enough for now/,
    /planner/,
    /undefined_source/,
    /invoked/,
  ];
  for (const words of said) expect(stdout).toMatch(words);
  expect(blocks.length).toBeGreaterThan(5);
}, 120_000);

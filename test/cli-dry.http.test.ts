import { existsSync, mkdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { useCli } from './support/cli.ts';
import { cliHere } from './support/cli-here.ts';
import { agentEnvelope } from './support/envelopes.ts';

const cli = useCli();
const ID = '0000000a-0000-4000-8000-00000000000a';

describe.concurrent('usage', () => {
  test('--version is the version of the package', async () => {
    const { code, stdout } = await cli.run(['--version']);
    expect(code).toBe(0);
    expect(stdout.trim()).toBe(JSON.parse(readFileSync(path.resolve('package.json'), 'utf8')).version);
  });

  test.each([[['help']], [['--help']], [['help', 'why']], [['tenant', 'create', '--help']]])(
    '%j exits 0',
    async (args) => {
      const { code, stdout, stderr } = await cliHere(args);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/Usage: outcome-ledger/);
    },
  );

  test.each([
    [[]],
    [['nonsense']],
    [['tenant']],
    [['why']],
    [['why', 'not-a-uuid']],
    [['why', ID, '--depth', '0']],
    [['why', ID, '--depth', '65']],
    [['why', ID, '--depth', '1.5']],
    [['why', ID, '--depth', '1e1']],
    [['why', ID, '--unknown']],
    [['why', ID, 'too', 'many']],
    [['outcome', 'show', ID.toUpperCase()]],
    [['gaps', '--gap', 'nothing']],
    [['token', '--actor', 'a']],
    [['token', '--role', 'king', '--actor', 'a']],
    [['token', '--role', 'agent', '--actor', 'a', '--expires', 'tomorrow']],
    [['token', '--role', 'agent', '--actor', ' ']],
    [['tenant', 'create', '--open', '--closed']],
    [['tenant', 'create', '--id', 'abc']],
    [['up', '--port', '0']],
    [['up', '--port', '70000']],
    [['up', '--graph', 'triples']],
    [['roles', 'password', 'ledger_retention']],
    [['exec']],
    [['envelope', 'check']],
    [['gaps', '--url', 'ftp://x', '--token', 't']],
    [['gaps', '--url', 'http://127.0.0.1:9']],
  ])('%j is refused with exit 2 before anything happens', async (args) => {
    const { code, stderr } = await cliHere(args);
    expect(code).toBe(2);
    expect(stderr).toMatch(/usage|token_missing/);
  });
});

test('a mistyped command is asked back in one line', async () => {
  const { code, stderr } = await cli.run(['gap']);
  expect([code, stderr.split('\n')[0]]).toEqual([2, "usage  unknown command 'gap' (Did you mean gaps?)"]);
});

describe.concurrent('envelope check', () => {
  const good = JSON.stringify(agentEnvelope('success'));

  test('a valid envelope from a file and from standard input', async () => {
    writeFileSync(path.join(cli.folder, 'good.json'), `\ufeff${good}`);
    const file = await cli.run(['envelope', 'check', 'good.json']);
    expect([file.code, file.stdout.trim(), file.stderr]).toEqual([0, 'valid', '']);
    const input = await cli.run(['envelope', 'check', '-', '--json'], { stdin: good });
    expect([input.code, input.json()]).toEqual([0, { valid: true, violations: [] }]);
  });

  test.each([
    [
      'a success with errors',
      good.replace('"errors":[]', '"errors":[{"code":"X","message":"m","recoverable":false}]'),
      '/errors',
    ],
    ['a duplicate key', good.replace('{', '{"status":"failure",'), '/status'],
    ['NUL in a result', JSON.stringify({ ...agentEnvelope('success'), result: { a: 'x\u0000' } }), '/result/a'],
    ['a lone surrogate', good.replace('"result":{', '"result":{"s":"\\ud83d",'), '/result/s'],
    ['a number no double gives back', good.replace('"result":{', '"result":{"n":9007199254740993,'), '/result/n'],
    ['an unknown member', good.replace('{', '{"extra":1,'), '/extra'],
    [
      'a day that is none',
      good.replace(/"started_at":"[^"]+"/, '"started_at":"2026-02-30T10:00:00Z"'),
      '/timing/started_at',
    ],
    ['null', 'null', ''],
    ['an array', '[]', ''],
  ])('%s is invalid: exit 1, the path named', async (_what, text, wanted) => {
    const { code, json, stderr } = await cli.run(['envelope', 'check', '-', '--json'], { stdin: text });
    expect([code, stderr]).toEqual([1, '']);
    const { valid, violations } = json() as {
      valid: boolean;
      violations: { path: string; rule: string; message: string }[];
    };
    expect(valid).toBe(false);
    expect(violations.map((violation) => violation.path)).toContain(wanted);
    for (const violation of violations)
      expect(violation).toEqual({ path: expect.any(String), rule: expect.any(String), message: expect.any(String) });
  });

  test.each(['invocation_id', 'execution_id'])(
    'a request with %s: its outcome is checked, and that is said',
    async (member) => {
      const request = (outcome: string) => `{"${member}":"${ID}","outcome":${outcome}}`;
      const valid = await cli.run(['envelope', 'check', '-'], { stdin: request(good) });
      expect([valid.code, valid.stdout]).toEqual([0, 'valid  (a request: its /outcome was checked)\n']);
      const stdin = request(good.replace('{', '{"extra":1,'));
      const bad = (await cli.run(['envelope', 'check', '-', '--json'], { stdin })).json();
      expect(bad).toMatchObject({ valid: false, checked: '/outcome', violations: [{ path: '/outcome/extra' }] });
    },
  );

  test('the text for people has one line per path', async () => {
    const { stdout } = await cli.run(['envelope', 'check', '-'], { stdin: good.replace('{', '{"a":1,"b":2,') });
    expect(stdout).toMatch(/^envelope_invalid/);
    expect(stdout).toMatch(/^ {2}\/a .*\n {2}\/b /m);
  });

  test.each([
    ['no JSON', 'status: success'],
    ['half of one', '{"status":'],
    ['nothing', ''],
    ['bytes that are no UTF-8', Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d)],
  ])('%s is unreadable: exit 2', async (_what, stdin) => {
    const { code, json } = await cli.run(['envelope', 'check', '-', '--json'], { stdin });
    expect([code, json()['code'], json()['exit_code']]).toEqual([2, 'unreadable_input', 2]);
  });

  test('a file that is not there, and a folder', async () => {
    for (const file of ['missing.json', '.']) {
      const { code, stderr } = await cli.run(['envelope', 'check', file]);
      expect(code).toBe(2);
      expect(stderr).toMatch(/^unreadable_input/);
    }
  });
});

describe.concurrent('without a stack', () => {
  test.each([
    [['status']],
    [['down']],
    [['outcome', 'show', ID]],
    [['why', ID]],
    [['impact', ID]],
    [['correlation', 'corr-1']],
    [['gaps']],
    [['gaps', '--exit-code']],
    [['doctor']],
    [['sql']],
    [['sql', '-c', 'select 1']],
    [['token', '--role', 'agent', '--actor', 'a']],
    [['tenant', 'create']],
    [['roles', 'password', 'ledger_gateway']],
    [['epoch', 'new']],
    [['up', '--no-spawn']],
    [['demo', '--no-spawn']],
    [['status', '--url', 'http://127.0.0.1:9']],
    [['gaps', '--url', 'http://127.0.0.1:9', '--token', 't']],
  ])('%j exits 2 ledger_unreachable and starts nothing', async (args) => {
    const { code, json, stderr } = await cli.run([...args, '--json']);
    expect([code, json()['code'], json()['exit_code']]).toEqual([2, 'ledger_unreachable', 2]);
    expect(json()['remedy']).toMatch(/outcome-ledger up --detach|--url/);
    expect(stderr).toMatch(/ledger_unreachable/);
    expect(existsSync(path.join(cli.folder, '.outcome-ledger'))).toBe(false);
  });

  test('exec --no-spawn is refused, and an unknown command before anything starts', async () => {
    const forbidden = await cli.run(['exec', '--no-spawn', '--', 'true']);
    expect([forbidden.code, forbidden.stderr.split(' ')[0]]).toEqual([2, 'spawn_forbidden']);
    const unknown = await cli.run(['exec', '--', 'no-such-command-here']);
    expect([unknown.code, unknown.stderr.split(' ')[0]]).toEqual([2, 'command_not_found']);
  });

  test('down with nothing running says so', async () => {
    const { code, stderr } = await cli.run(['down']);
    expect(code).toBe(2);
    expect(stderr).toContain(
      `nothing runs on ${path.join(realpathSync(cli.folder), '.outcome-ledger')}; nothing to stop`,
    );
  });

  test('what answers but is no ledger is told apart', async () => {
    const { createServer } = await import('node:http');
    const server = createServer((_request, response) => response.end('<h1>hello</h1>')).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    const { code, json } = await cli.run(['gaps', '--url', `http://127.0.0.1:${port}`, '--token', 't', '--json']);
    server.close();
    expect([code, json()['code']]).toEqual([2, 'unexpected_answer']);
  });
});

describe('init', () => {
  test('writes the deployable folder, and refuses one that is not empty', async () => {
    const { code, json } = await cli.run(['init', 'deploy', '--json']);
    expect(code).toBe(0);
    const { dir, files } = json() as { dir: string; files: string[] };
    for (const file of files) expect(existsSync(path.join(dir, file)), file).toBe(true);
    for (const wanted of [
      'README.md',
      'supabase/config.toml',
      'functions/outcomes/index.ts',
      'functions/outcomes/deno.json',
      'src/contract/index.ts',
      'src/database/index.ts',
    ]) {
      expect(files).toContain(wanted);
    }
    expect(files.filter((file) => /\.test\.ts$|^src\/(cli|stack|client)\//.test(file))).toEqual([]);
    const readme = readFileSync(path.join(dir, 'README.md'), 'utf8');
    for (const words of ['?sslmode=require', '`public` alone', 'asymmetric', 'closed']) expect(readme).toContain(words);
    const again = await cli.run(['init', 'deploy']);
    expect([again.code, again.stderr.split(' ')[0]]).toEqual([2, 'folder_not_empty']);
    expect((await cli.run(['init', 'deploy', '--force'])).code).toBe(0);
  });

  test('a folder with only .git counts as empty; a file is none', async () => {
    mkdirSync(path.join(cli.folder, 'fresh/.git'), { recursive: true });
    expect((await cli.run(['init', 'fresh'])).code).toBe(0);
    writeFileSync(path.join(cli.folder, 'plain'), '');
    expect((await cli.run(['init', 'plain'])).code).toBe(2);
  });
});

describe('judgment table', () => {
  test('gives every cell, as JSON and as lines', async () => {
    const cells = (await cliHere(['judgment', 'table', '--json'])).json() as unknown as Record<string, unknown>[];
    expect(cells).toHaveLength(140);
    expect(cells[0]).toEqual({
      lifecycle: 'waiting',
      verification: 'passed',
      required: true,
      outcome: 'in_progress',
      reason: null,
      tag: null,
      gate: 'refuse',
      counts_as_success: false,
      in_success_base: false,
      in_agent_score: false,
    });
    const shown = await cliHere(['judgment', 'table']);
    expect(shown.code).toBe(0);
    expect(shown.stdout.trim().split('\n')).toHaveLength(141);
    expect(shown.stdout).toMatch(/^merged +unobserved +no +unverified: no_result +VNORESULT +warn$/m);
  });
});

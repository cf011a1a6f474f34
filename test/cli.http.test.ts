import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import postgres from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { useCli } from './support/cli.ts';
import { cliHere } from './support/cli-here.ts';
import { envelopeFor, invocationStart } from './support/envelopes.ts';

interface Status {
  functions_url: string;
  database_url: string;
  auditor_url: string;
  jwks_url: string;
  data_dir: string;
  pid: number;
  tenant_id: string;
  [member: string]: unknown;
}

const cli = useCli();
const dataDir = path.join(cli.folder, 'data');
const at = ['--data-dir', dataDir];
let status: Status;
/** Two outcomes, the first the cause of the second, whose own cause nobody recorded. */
let cause: string;
let effect: string;
const correlation = `corr-${randomUUID()}`;

beforeAll(async () => {
  // A bare DATABASE_URL belongs to some other application and must not be looked at.
  const up = await cli.run(['up', '--detach', '--json', ...at], {
    env: { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/x' },
  });
  expect(up.code, up.stderr).toBe(0);
  status = up.json() as Status;
  cause = await recorded('nobody-recorded-this');
  effect = await recorded(cause);
}, 120_000);

afterAll(async () => {
  await cli.run(['down', ...at]);
});

async function tokenOf(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await cli.run(['token', ...args, ...at]);
  expect(code, stderr).toBe(0);
  return stdout.trim();
}

async function post(route: string, body: object, token: string): Promise<Record<string, unknown>> {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const response = await fetch(`${status.functions_url}/${route}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  const answer = (await response.json()) as Record<string, unknown>;
  expect(response.status, JSON.stringify(answer)).toBe(201);
  return answer;
}

async function recorded(causation_id: string, correlation_id = correlation): Promise<string> {
  const token = await tokenOf('--role', 'orchestrator', '--actor', 'o-1');
  const start = invocationStart({ correlation_id, causation_id });
  await post('invocations', start, token);
  const outcome = envelopeFor(start, 'success');
  const answer = await post('outcomes', { invocation_id: start['invocation_id'], outcome }, token);
  return String(answer['outcome_id']);
}

describe('the stack', () => {
  test('up --json says where everything is', () => {
    expect(status).toMatchObject({
      functions_url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/functions\/v1$/),
      database_url: expect.stringMatching(/^postgres/),
      jwks_url: expect.stringMatching(/jwks\.json$/),
      data_dir: expect.stringContaining('data'),
      workers: expect.any(Array),
      pid: expect.any(Number),
      tenant_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      health: { status: 'ok' },
      attached: false,
    });
  });

  test('a second up attaches, prints lines to paste, and exits 0', async () => {
    const second = await cli.run(['up', ...at]);
    expect(second.code).toBe(0);
    expect(second.stdout).toMatch(/attached/);
    expect(second.stdout).toMatch(/^curl -sS "\$URL\/invocations"/m);
    const json = (await cli.run(['up', '--detach', '--no-spawn', '--json', ...at])).json();
    expect([json['pid'], json['attached']]).toEqual([status.pid, true]);
  });

  test('the printed lines work as they stand', async () => {
    const { execFileSync } = await import('node:child_process');
    const { stdout } = await cli.run(['up', ...at]);
    const lines = stdout.slice(stdout.indexOf('URL='));
    const said = execFileSync('sh', ['-eu', '-c', lines], { encoding: 'utf8', cwd: cli.folder });
    expect(said).toMatch(/success +agent my-agent@1\.0\.0/);
  });

  test('status --json is that of up; the text is aligned', async () => {
    const { attached: _, ...expected } = status;
    expect((await cli.run(['status', '--json', ...at])).json()).toEqual(expected);
    const { stdout } = await cli.run(['status', ...at]);
    expect(stdout).toMatch(/^functions {4}http/m);
    expect(stdout).toMatch(/^database {5}postgres(ql)?:\/\/[^:]+:…@/m);
    expect(stdout).toMatch(/^health {7}ok$/m);
  });

  test('status --url asks a ledger by its project or its functions', async () => {
    const project = status.functions_url.replace('/functions/v1', '/');
    for (const url of [project, status.functions_url]) {
      const { code, json } = await cli.run(['status', '--json'], { env: { OUTCOME_LEDGER_URL: url } });
      expect([code, json()['pid'], json()['health']]).toEqual([0, null, status['health']]);
    }
  });
});

describe('reading', () => {
  test('outcome show', async () => {
    const { code, json } = await cliHere(['outcome', 'show', effect, '--json', ...at]);
    expect([code, json()['outcome_id'], json()['status'], json()['late']]).toEqual([0, effect, 'success', null]);
    const { stdout } = await cliHere(['outcome', 'show', effect, ...at]);
    expect(stdout).toMatch(new RegExp(`^success {2}${effect}$`, 'm'));
    expect(stdout).toMatch(new RegExp(`^causation +${cause}$`, 'm'));
  });

  test('why and impact draw the link from both ends', async () => {
    const why = (await cliHere(['why', effect, '--json', ...at])).json();
    expect(why).toMatchObject({
      outcome_id: effect,
      direction: 'why',
      truncated: false,
      links: [{ relation: 'invoked' }],
    });
    expect(why['causes']).toEqual([
      { outcome_id: cause, causation_id: 'nobody-recorded-this', kind: null, type: null, source: null, state: null },
    ]);
    expect((await cliHere(['why', effect, ...at])).stdout).toMatch(
      new RegExp(`└─ invoked +success .* ${cause}\n +└─ caused by +nobody-recorded-this  unresolved .*gaps\\)\n$`),
    );
    expect((await cliHere(['impact', cause, ...at])).stdout).toMatch(new RegExp(`└─ invoked +success .* ${effect}\n$`));
    const cut = await cliHere(['impact', cause, '--depth', '1', ...at]);
    expect([cut.code, cut.stdout.includes('cut at the depth limit')]).toEqual([0, false]);
  });

  test('the chain ends in the event that set it off, or in work that has no outcome yet', async () => {
    const token = await tokenOf('--role', 'orchestrator', '--actor', 'o-1');
    const event_id = `evt-${randomUUID()}`;
    await post('events', { event_id, type: 'order.received', source: 'shell' }, token);
    const outcome = await recorded(event_id, event_id);
    const { stdout } = await cliHere(['why', outcome, ...at]);
    expect(stdout).toContain(`└─ caused by  event ${event_id} (order.received from shell)\n`);
    expect((await cliHere(['impact', outcome, ...at])).stdout).toContain(`event ${event_id}`);
    const open = invocationStart({ correlation_id: 'open', causation_id: event_id });
    await post('invocations', open, token);
    const below = await recorded(String(open['invocation_id']), event_id);
    const { json } = await cliHere(['why', below, '--json', ...at]);
    expect(json()['causes']).toMatchObject([{ kind: 'invocation', state: 'running' }]);
    for (const command of [['outcome', 'show'], ['why'], ['impact']]) {
      const waiting = await cliHere([...command, String(open['invocation_id']), '--json', ...at]);
      expect([waiting.code, waiting.json()['code']]).toEqual([1, 'no_outcome_yet']);
      expect(waiting.json()['detail']).toMatch(/is still running/);
    }
  });

  test('outcome show, why and impact take the id of the work', async () => {
    const { json } = await cliHere(['outcome', 'show', effect, '--json', ...at]);
    const invocation = String(json()['invocation_id']);
    for (const command of [['outcome', 'show'], ['why'], ['impact']]) {
      const answer = await cliHere([...command, invocation, '--json', ...at]);
      expect([answer.code, answer.json()['outcome_id']]).toEqual([0, effect]);
    }
  });

  test('correlation shows the first error of what failed', async () => {
    const token = await tokenOf('--role', 'orchestrator', '--actor', 'o-1');
    const start = invocationStart({ correlation_id: `failing-${randomUUID()}`, causation_id: `order-${randomUUID()}` });
    await post('invocations', start, token);
    const errors = ['LOCKED', 'LATER'].map((code) => ({ code, message: `told ${code}`, recoverable: false }));
    const outcome = { ...envelopeFor(start, 'failure'), errors };
    await post('outcomes', { invocation_id: start['invocation_id'], outcome }, token);
    const { stdout } = await cliHere(['correlation', String(start['correlation_id']), ...at]);
    expect(stdout).toMatch(/^failure .* LOCKED: told LOCKED \(\+1\)$/m);
  });

  test('correlation', async () => {
    const { json, stdout } = await cliHere(['correlation', correlation, '--json', ...at]);
    expect((json()['nodes'] as unknown[]).length, stdout).toBe(2);
    const text = (await cliHere(['correlation', correlation, ...at])).stdout;
    expect(text).toMatch(/2 outcomes, 0 open; links: 1 invoked/);
  });

  test('outcome list: the latest first, by what is asked for, page by page', async () => {
    const list = (...args: string[]) => cliHere(['outcome', 'list', ...args, ...at]);
    const of = ['--correlation', correlation];
    const { json } = await list(...of, '--json');
    const items = json()['items'] as { outcome_id: string; status: string }[];
    expect(items).toHaveLength(2);
    expect((await list(...of, '--status', 'timeout')).stdout).toBe('no outcomes\n');
    const first = await list(...of, '--limit', '1');
    expect(first.stdout).toMatch(/^status +source .*\nsuccess +agent /);
    const cursor = first.stdout.match(/--cursor (\S+)/)?.[1] as string;
    const second = (await list(...of, '--limit', '1', '--cursor', cursor, '--json')).json();
    expect(second).toMatchObject({ items: [{ outcome_id: items[1]?.outcome_id }], next_cursor: null });
    const wrong = await list('--from', 'yesterday', '--json');
    expect([wrong.code, wrong.json()['code']]).toEqual([2, 'request_invalid']);
    expect((await list('--status', 'done')).code).toBe(2);
  });

  test('gaps, and its exit code', async () => {
    const plain = await cliHere(['gaps', '--json', ...at]);
    expect(plain.code).toBe(0);
    expect((plain.json()['items'] as { gap: string }[]).map((item) => item.gap)).toContain('unresolved_causation');
    expect((await cliHere(['gaps', '--exit-code', ...at])).code).toBe(1);
    const none = await cliHere(['gaps', '--gap', 'hitl_missing', '--exit-code', ...at]);
    expect([none.code, none.stdout]).toEqual([0, expect.stringContaining('gaps; other kinds were not looked for')]);
  });

  test.each([['outcome', 'show'], ['why'], ['impact']])('%s of an id that never was: exit 1', async (...command) => {
    const { code, json, stderr } = await cliHere([...command, randomUUID(), '--json', ...at]);
    expect([code, json()['code'], json()['status']]).toEqual([1, 'unknown_outcome', 404]);
    expect(stderr).toMatch(/→/);
  });

  test('another tenant sees nothing of it', async () => {
    const made = await cli.run(['tenant', 'create', '--closed', '--name', 'other', '--json', ...at]);
    const other = String(made.json()['tenant_id']);
    expect((await cli.run(['outcome', 'show', effect, '--tenant', other, ...at])).code).toBe(1);
    const token = await tokenOf('--role', 'auditor', '--actor', 'a', '--tenant', other);
    const env = { OUTCOME_LEDGER_URL: status.functions_url, OUTCOME_LEDGER_TOKEN: token };
    expect((await cli.run(['why', effect], { env })).code).toBe(1);
    expect((await cli.run(['gaps', '--exit-code'], { env })).code).toBe(0);
  });

  test('a bad or worn-out token is refused with exit 2', async () => {
    const bad = await cliHere(['gaps', '--url', status.functions_url, '--token', 'nonsense', '--json']);
    expect([bad.code, bad.json()['code']]).toEqual([2, 'token_invalid']);
    const token = await tokenOf('--role', 'auditor', '--actor', 'a', '--expires', '1s');
    await new Promise((resolve) => setTimeout(resolve, 2100));
    const old = await cliHere(['gaps', '--url', status.functions_url, '--token', token, '--json']);
    expect([old.code, old.json()['code']]).toEqual([2, 'token_expired']);
  });
});

describe('tenants and tokens', () => {
  test('an id stands once', async () => {
    const id = randomUUID();
    const first = await cli.run(['tenant', 'create', '--id', id, '--json', ...at]);
    expect([first.code, first.json()['tenant_id'], first.json()['open']]).toEqual([0, id, true]);
    const again = await cli.run(['tenant', 'create', '--id', id, '--json', ...at]);
    expect([again.code, again.json()['code']]).toEqual([1, 'tenant_conflict']);
  });

  test('a token for a tenant that is not there is refused', async () => {
    const { code, json } = await cli.run([
      'token',
      '--role',
      'agent',
      '--actor',
      'a',
      '--tenant',
      randomUUID(),
      '--json',
      ...at,
    ]);
    expect([code, json()['code']]).toEqual([1, 'unknown_tenant']);
  });

  test('token prints the token alone; its claims are what was asked', async () => {
    const token = await tokenOf('--role', 'policy_guard', '--actor', 'os-agt-002', '--expires', '15m');
    const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
    expect(claims).toMatchObject({
      role: 'authenticated',
      app_metadata: { tenant_id: status.tenant_id, ledger_role: 'policy_guard', actor_id: 'os-agt-002' },
    });
    expect(claims.exp - claims.iat).toBe(900);
  });
});

describe('sql', () => {
  test('one query as a table and as JSON', async () => {
    const query = `select count(*)::int as n, 'x' as letter from public.agent_invocation_outcomes where correlation_id = '${correlation}'`;
    const table = await cli.run(['sql', '-c', query, ...at]);
    expect([table.code, table.stdout]).toEqual([0, 'n  letter\n2  x\n(1 row)\n']);
    const { json } = await cli.run(['sql', '-c', query, '--json', ...at]);
    expect(json()).toEqual({ columns: ['n', 'letter'], rows: [{ n: 2, letter: 'x' }] });
  });

  test.each([
    'delete from public.agent_invocation_outcomes',
    "insert into public.tenants (tenant_id, name) values (gen_random_uuid(), 'x')",
    'create table public.mine ()',
    'set transaction read write; truncate public.os_events',
    'select * from no_such_table',
  ])('%s is refused: exit 1', async (query) => {
    const { code, json } = await cli.run(['sql', '-c', query, '--json', ...at]);
    expect([code, json()['code']]).toEqual([1, 'database_refused']);
  });

  test('without a terminal it prints how to open psql', async () => {
    const { code, stdout } = await cli.run(['sql', ...at]);
    expect([code, stdout.trim()]).toEqual([0, `psql ${status.auditor_url}`]);
  });
});

describe('roles and epochs', () => {
  test('a password from standard input, then one made here, lets the role log in', async () => {
    const given = await cli.run(['roles', 'password', 'ledger_sync', '--password-stdin', '--json', ...at], {
      stdin: 'a pass-word\n',
    });
    expect([given.code, given.json()['password']]).toEqual([0, null]);
    const url = new URL(String(given.json()['url']));
    url.password = encodeURIComponent('a pass-word');
    expect(await userOf(url.toString())).toBe('ledger_sync');
    const made = await cli.run(['roles', 'password', 'ledger_sync', '--json', ...at]);
    expect(await userOf(String(made.json()['url']))).toBe('ledger_sync');
    await expect(userOf(url.toString())).rejects.toMatchObject({ code: '28P01' });
  });

  test.each(['', 'short', 'tab\tin the password'])('%j is no password', async (stdin) => {
    const { code } = await cli.run(['roles', 'password', 'ledger_seal', '--password-stdin', ...at], { stdin });
    expect(code).toBe(2);
  });

  test('epoch new opens the next one', async () => {
    const { code, json } = await cli.run(['epoch', 'new', '--reason', 'a rehearsal', '--json'], {
      env: { OUTCOME_LEDGER_DATABASE_URL: status.database_url },
    });
    expect([code, json()]).toEqual([0, { epoch: 2 }]);
  });

  test('a database that is not there is a failed preflight, its password untold', async () => {
    const { code, json, stderr } = await cli.run([
      ...['epoch', 'new', '--json'],
      ...['--database-url', 'postgres://me:hidden-word@127.0.0.1:9/x'],
    ]);
    expect([code, json()['code']]).toEqual([2, 'database_unreachable']);
    expect(stderr).not.toContain('hidden-word');
  });
});

async function userOf(url: string): Promise<unknown> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    return (await sql`select current_user::text as name`)[0]?.['name'];
  } finally {
    await sql.end();
  }
}

describe('doctor', () => {
  test('a healthy stack: every check ok, exit 0', async () => {
    const { code, json, stdout } = await cli.run(['doctor', '--json', ...at]);
    const checks = json()['checks'] as { verdict: string }[];
    expect(
      checks.filter((check) => check.verdict !== 'ok'),
      stdout,
    ).toEqual([]);
    expect([code, checks.length >= 17]).toEqual([0, true]);
  });

  test('a missing layer is found, named, and told how to mend; exit 1', async () => {
    const admin = postgres(String((await stackFile())['admin_url']), { max: 1, onnotice: () => undefined });
    try {
      await admin.unsafe(`alter table public.os_events disable trigger refuse_truncate;
        grant update on public.workflow_outcomes to service_role; alter table public.outcome_ids no force row level security`);
      const { code, json } = await cli.run(['doctor', '--json', '--database-url', status.database_url]);
      const failed = (json()['checks'] as { name: string; verdict: string; detail: string; remedy: string }[]).filter(
        (check) => check.verdict === 'fail',
      );
      expect(code).toBe(1);
      const found = Object.fromEntries(failed.map((check) => [check.name, check.detail]));
      expect(found['append-only triggers']).toBe('os_events: truncate is not refused');
      expect(found['grants']).toBe('service_role has UPDATE on workflow_outcomes');
      expect(found['row-level security']).toBe('outcome_ids: not forced');
      expect(failed.every((check) => check.remedy.length > 10)).toBe(true);
    } finally {
      await admin.unsafe(`alter table public.os_events enable always trigger refuse_truncate;
        revoke update on public.workflow_outcomes from service_role; alter table public.outcome_ids force row level security`);
      await admin.end();
    }
  });

  test('a database without a ledger', async () => {
    const { code, json } = await cli.run([
      'doctor',
      '--json',
      '--database-url',
      status.database_url.replace(/\/[^/]*$/, '/template1'),
    ]);
    expect(code).toBe(1);
    expect((json()['checks'] as unknown[])[0]).toMatchObject({
      verdict: 'fail',
      detail: 'this database holds no ledger',
    });
  });
});

async function stackFile(): Promise<Record<string, unknown>> {
  const { readFile } = await import('node:fs/promises');
  return JSON.parse(await readFile(path.join(dataDir, 'stack.json'), 'utf8'));
}

describe('stopping', () => {
  test('down stops it; then status and down are exit 2; up brings the data back', async () => {
    const down = await cli.run(['down', '--json', ...at]);
    expect([down.code, down.json()['pid']]).toEqual([0, status.pid]);
    expect(() => process.kill(status.pid, 0)).toThrow();
    for (const command of ['status', 'down']) expect((await cli.run([command, ...at])).code).toBe(2);
    expect(existsSync(dataDir)).toBe(true);
    const foreground = await cli.run(['up', '--json', ...at], {
      signalAfter: { text: '"attached": false', signal: 'SIGINT' },
    });
    expect([foreground.code, foreground.signal]).toEqual([0, null]);
    expect([foreground.json()['tenant_id'], foreground.json()['functions_url']]).toEqual([
      status.tenant_id,
      status.functions_url,
    ]);
    expect((await cli.run(['status', ...at])).code).toBe(2);
  });

  test('a port in use is a failed preflight, told through --detach too', async () => {
    const { createServer } = await import('node:net');
    const server = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    const { port } = server.address() as { port: number };
    const { code, json } = await cli.run([
      'up',
      '--detach',
      '--json',
      '--port',
      String(port),
      '--data-dir',
      path.join(cli.folder, 'other'),
    ]);
    server.close();
    expect([code, json()['code']]).toEqual([2, 'port_in_use']);
  });
});

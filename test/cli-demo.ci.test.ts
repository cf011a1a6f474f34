import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { isAlive } from '../src/stack/postgres/postmaster.ts';
import { useCli } from './support/cli.ts';

type Held = { outcomes: string[]; links: string[] };

const cli = useCli();
const env = { TMPDIR: cli.folder };

/** Temporary data directories that a run left behind. */
function leftBehind(): string[] {
  return readdirSync(cli.folder).filter((name) => name.startsWith('outcome-ledger-'));
}

describe('demo', () => {
  test('plays the story, finds what it promised, leaves nothing, well under a minute', async () => {
    const { code, json, stderr } = await cli.run(['demo', '--json'], { env });
    expect(code, stderr).toBe(0);
    const { checks, outcomes, sales, gaps, refusals, why, graph, ...rest } = json() as Record<string, never[]> & {
      why: Record<string, unknown[]>;
      sales: Record<string, { status: string }>;
      graph: { killed_pid: number; next_pid: number; ledger: Held; graph: Held; why: unknown[] };
    };
    expect((checks as { ok: boolean }[]).filter((check) => !check.ok)).toEqual([]);
    expect([outcomes?.length, why.nodes?.length, gaps?.length, refusals?.length]).toEqual([13, 12, 3, 7]);
    expect(sales).toMatchObject({
      blocked: { status: 'blocked' },
      escalated: { status: 'escalated' },
      answer: { resolution: 'approved' },
      released: { status: 'success' },
      timedOut: { status: 'timeout' },
    });
    expect(rest).toMatchObject({ succeeded: true, kept: null, workflow: { status: 'partial' } });
    expect(rest['duration_ms']).toBeLessThan(60_000);
    // The worker was killed half-way, and the graph has it all, once.
    expect(graph.next_pid).not.toBe(graph.killed_pid);
    expect(graph.graph).toEqual(graph.ledger);
    expect([graph.graph.outcomes.length, graph.graph.links.length, graph.why.length]).toEqual([21, 27, 12]);
    expect([graph.killed_pid, graph.next_pid].map(isAlive)).toEqual([false, false]);
    expect(leftBehind()).toEqual([]);
  });

  test('shows tables, the tree, gaps and refusals to people, without colour in a pipe', async () => {
    const { code, stdout } = await cli.run(['demo'], { env });
    expect(code).toBe(0);
    expect(stdout).not.toContain('\u001b');
    expect(stdout).toMatch(/^ *partial +workflow WF-ART-003-EDITION-ALLOCATION@1\.1\.0/m);
    expect(stdout.match(/─ contributed-to +(success|failure) +agent art-agt-003@/g)).toHaveLength(10);
    expect(stdout.match(/↑ shown above/g)?.length).toBeGreaterThanOrEqual(9);
    expect(stdout.match(/^depth 1 {2}depth 1 /gm)).toHaveLength(11);
    expect(stdout).toMatch(/killed half-way \(process \d+\); process \d+ went on/);
    expect(stdout).toMatch(/the graph held 21 of 21 outcomes and 27 of 27 links/);
    expect(stdout).toMatch(/^escalated +escalate +large-sale .* approved by user-olga: a known gallery$/m);
    expect(stdout).toMatch(/^timeout +– +– /m);
    expect(stdout).toMatch(/outcome_conflict \(HTTP 409\)/);
    expect(stdout).toMatch(/42501 {2}permission denied/);
    expect(stdout).toMatch(/unresolved_causation/);
    expect(stdout).toMatch(/├─ caused by +event evt-release-\w+ \(art\.edition\.released from webshop\)/);
  });

  test('--keep leaves the ledger running, a second demo plays on it', async () => {
    const at = ['--data-dir', path.join(cli.folder, 'kept')];
    try {
      const first = await cli.run(['demo', '--keep', '--json', ...at]);
      expect(first.code, first.stderr).toBe(0);
      const second = await cli.run(['demo', '--no-spawn', ...at]);
      expect(second.code).toBe(0);
      const { workflow, tenant_id } = first.json() as { workflow: { outcome_id: string }; tenant_id: string };
      const why = await cli.run(['why', workflow.outcome_id, '--tenant', tenant_id, ...at]);
      expect([why.code, why.stdout.split('\n').length > 12]).toEqual([0, true]);
    } finally {
      expect((await cli.run(['down', ...at])).code).toBe(0);
    }
  });

  test('an interrupt stops it and leaves nothing', async () => {
    const { spawn } = await import('node:child_process');
    const child = spawn(process.execPath, [cli.main, 'demo'], { env: { ...process.env, ...env }, stdio: 'ignore' });
    await new Promise((resolve) => setTimeout(resolve, 1500));
    child.kill('SIGINT');
    const code = await new Promise((resolve) => child.once('exit', (exit, signal) => resolve(exit ?? signal)));
    expect([130, 'SIGINT']).toContain(code);
    await expect.poll(leftBehind, { timeout: 20_000 }).toEqual([]);
  });
});

describe('a demo that is killed', () => {
  test('leaves no process and no file, its graph included', async () => {
    const { spawn } = await import('node:child_process');
    const child = spawn(process.execPath, [cli.main, 'demo'], { env: { ...process.env, ...env }, stdio: 'ignore' });
    const isSync = ({ name }: { name: string }) => name === 'sync';
    const state = () =>
      leftBehind()
        .map((name) => path.join(cli.folder, name, 'stack.json'))
        .filter((file) => existsSync(file))
        .map((file) => JSON.parse(readFileSync(file, 'utf8')));
    await expect.poll(() => state()[0]?.workers.find(isSync)?.pid, { timeout: 30_000 }).toBeGreaterThan(0);
    const { pid } = state()[0].workers.find(isSync);
    child.kill('SIGKILL');
    await expect.poll(leftBehind, { timeout: 20_000 }).toEqual([]);
    await expect.poll(() => isAlive(pid), { timeout: 20_000 }).toBe(false);
  });
});

describe('exec', () => {
  test('the command reaches a ledger with what its environment says', async () => {
    const script = `const { OUTCOME_LEDGER_URL: url, OUTCOME_LEDGER_TOKEN: token } = process.env;
      const answer = await fetch(url + '/outcomes?limit=1', { headers: { authorization: 'Bearer ' + token } });
      console.log(JSON.stringify([answer.status, await answer.json(), process.argv.slice(2)]));
      console.log(JSON.stringify(Object.keys(process.env).filter((name) => name.startsWith('OUTCOME_LEDGER_')).sort()));`;
    const { code, stdout, stderr } = await cli.run(
      ['exec', '--', 'node', '--input-type=module', '-e', script, '--', '--json', 'b c'],
      { env },
    );
    expect(code, stderr).toBe(0);
    const [answer, names] = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(answer[0]).toBe(200);
    expect(answer[1]).toEqual({ items: [], next_cursor: null });
    expect(stdout).toContain('"b c"');
    expect(names).toEqual(
      ['DATABASE_URL', 'DATA_DIR', 'TENANT', 'TOKEN', 'URL'].map((name) => `OUTCOME_LEDGER_${name}`),
    );
    expect(leftBehind()).toEqual([]);
  });

  test('the commands of outcome-ledger work inside it', async () => {
    const { code, stdout } = await cli.run(['exec', '--', process.execPath, cli.main, 'gaps'], { env });
    expect([code, stdout]).toEqual([0, expect.stringContaining('no gaps')]);
  });

  test('its ledger has no graph, and those who ask for one are told how to get it', async () => {
    const command = `"${process.execPath}" "${cli.main}"`;
    const script = `${command} sync --status; echo "$?"; ${command} cypher 'return 1'; echo "$?"`;
    const { stdout, stderr } = await cli.run(['exec', '--', 'sh', '-c', script], { env });
    expect(stdout).toBe('2\n2\n');
    expect(stderr.match(/graph_missing .*\n.*up --graph embedded/g)).toHaveLength(2);
  });

  test('its exit code is passed through', async () => {
    expect((await cli.run(['exec', '--', 'sh', '-c', 'exit 7'], { env })).code).toBe(7);
  });

  test('a signal reaches the command, whose own ending counts', async () => {
    const script = `trap 'echo caught; exit 42' TERM; echo ready; while :; do sleep 0.1; done`;
    const signalAfter = { text: 'ready', signal: 'SIGTERM' as const };
    const { code, stdout } = await cli.run(['exec', '--', 'sh', '-c', script], { env, signalAfter });
    expect([code, stdout]).toEqual([42, 'ready\ncaught\n']);
    expect(leftBehind()).toEqual([]);
  });

  test('a command that dies of a signal is 128 + n', async () => {
    expect((await cli.run(['exec', '--', 'sh', '-c', 'kill -9 $$'], { env })).code).toBe(137);
  });
});

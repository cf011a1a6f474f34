import { createHash } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { commandText } from './command-text.ts';
import { runVerification, type VerificationCommand } from './run-verification.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'verification-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const run = (command: VerificationCommand['command'], over: Partial<VerificationCommand> = {}) =>
  runVerification({ command, limitMs: 20_000, ...over });
const node = (code: string) => [process.execPath, '-e', code];
const isAlive = (pid: number) => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};
/** A killed process stays known until somebody has waited for it. */
const gone = (pid: number) => expect.poll(() => isAlive(pid), { timeout: 10_000 }).toBe(false);
/** Resolves with what the first line of its output says. */
function firstLine() {
  let text = '';
  let said: (line: string) => void;
  const line = new Promise<string>((resolve) => {
    said = resolve;
  });
  const onOutput = (chunk: Buffer) => {
    text += chunk;
    if (text.includes('\n')) said(text.split('\n')[0] as string);
  };
  return { line, onOutput };
}

describe('how a process ends decides, and never what it prints (B073)', () => {
  it.each([
    ['exit code 0', node('console.log("FAILED: 3 tests")'), 'passed', 0],
    ['another exit code', node('console.log("all tests passed"); process.exit(3)'), 'failed', 3],
    ['a tool that a shell does not find', 'no-such-tool-here --check', 'infrastructure_failure', 127],
    ['a program that is not there', ['no-such-program-here'], 'infrastructure_failure', null],
    ['a command longer than the system takes', ['true', 'x'.repeat(3_000_000)], 'infrastructure_failure', null],
    ['a compiler cache that says it is down', 'echo "sccache: error: connection refused" >&2; exit 1', 'failed', 1],
  ] as const)('%s', async (_, command, verification, exit_code) => {
    const ran = await run(command);
    expect(ran).toMatchObject({ verification, process: { exit_code, timed_out: false } });
    expect(ran.fault === null).toBe(verification !== 'infrastructure_failure');
  });

  it('a file that may not be executed, and a folder that is not there', async () => {
    const file = join(folder, 'check.sh');
    await writeFile(file, '#!/bin/sh\nexit 0\n', { mode: 0o644 });
    expect(await run([file])).toMatchObject({ verification: 'infrastructure_failure', process: { started: false } });
    expect(await run(file)).toMatchObject({ verification: 'infrastructure_failure', process: { exit_code: 126 } });
    const nowhere = await run(['true'], { cwd: join(folder, 'nowhere') });
    expect(nowhere).toMatchObject({ verification: 'infrastructure_failure', process: { started: false } });
  });

  it.each(['SIGKILL', 'SIGTERM', 'SIGSEGV'] as const)('an end by %s', async (signal) => {
    const ran = await run(node(`process.kill(process.pid, '${signal}'); setInterval(() => {}, 1000)`));
    expect(ran).toMatchObject({ verification: 'infrastructure_failure', process: { signal, exit_code: null } });
    expect(ran.fault).toContain(signal);
  });

  it('a group that ends itself', async () => {
    const ran = await run('kill -KILL 0');
    expect(ran).toMatchObject({ verification: 'infrastructure_failure', process: { signal: 'SIGKILL' } });
  });

  it('a folder whose file system counts no blocks is not a full disk', async () => {
    expect(await run('exit 1', { cwd: '/proc' })).toMatchObject({ verification: 'failed', process: { exit_code: 1 } });
  });

  it('a disk without room beside a bad exit code, and not beside a good one', async () => {
    const full = async () => 0;
    const command = (code: number) => ({ command: node(`process.exit(${code})`), limitMs: 20_000 });
    expect(await runVerification(command(1), full)).toMatchObject({
      verification: 'infrastructure_failure',
      process: { system_fault: true, exit_code: 1 },
      fault: expect.stringContaining('no room'),
    });
    expect(await runVerification(command(0), full)).toMatchObject({ verification: 'passed' });
  });
});

describe('its limit', () => {
  it('ends all that it started, also what does not listen to SIGTERM', async () => {
    const { line, onOutput } = firstLine();
    const forks = `trap '' TERM; sh -c "trap '' TERM; while :; do sleep 1; done" & echo $! $$; wait`;
    const running = run(forks, { limitMs: 500, onOutput });
    const pids = (await line).split(' ').map(Number);
    expect(pids.every(isAlive)).toBe(true);
    const ran = await running;
    expect(ran).toMatchObject({ verification: 'timed_out', process: { timed_out: true, signal: 'SIGKILL' } });
    for (const pid of pids) await gone(pid);
  });

  it('is kept to the millisecond that was asked', async () => {
    expect(await run(node('setInterval(() => {}, 1000)'), { limitMs: 1 })).toMatchObject({ verification: 'timed_out' });
  });

  it('stays away from what ended in time, though something it started holds its output', async () => {
    const { line, onOutput } = firstLine();
    const ran = await run('sleep 600 & echo $!; exit 0', { onOutput });
    expect(ran).toMatchObject({ verification: 'passed', process: { timed_out: false } });
    await gone(Number(await line));
  });

  it('does not wait for what has left the group', async () => {
    const { line, onOutput } = firstLine();
    const leaves = `const { spawn } = require('node:child_process');
      const child = spawn('sleep', ['600'], { detached: true, stdio: 'inherit' });
      console.log(child.pid); child.unref();`;
    expect(await run(node(leaves), { onOutput })).toMatchObject({ verification: 'passed' });
    process.kill(Number(await line), 'SIGKILL');
  });
});

test('stopped from outside it is unobserved', async () => {
  const { line, onOutput } = firstLine();
  const stopping = new AbortController();
  const running = run(node('console.log(process.pid); setInterval(() => {}, 1000)'), {
    onOutput,
    signal: stopping.signal,
  });
  const pid = Number(await line);
  stopping.abort();
  expect(await running).toMatchObject({ verification: 'unobserved' });
  await gone(pid);
  expect(await run(['true'], { signal: AbortSignal.abort() })).toMatchObject({ verification: 'unobserved' });
});

describe('its output', () => {
  it('is counted and digested whole, and kept as its end', async () => {
    const ran = await run('printf "€%.0s" $(seq 1 3000); printf "x" >&2');
    expect(ran.output_bytes).toBe(9001);
    const sha256 = createHash('sha256')
      .update(`${'€'.repeat(3000)}x`)
      .digest('hex');
    expect([
      sha256,
      createHash('sha256')
        .update(`x${'€'.repeat(3000)}`)
        .digest('hex'),
    ]).toContain(ran.output_sha256);
    expect(Buffer.byteLength(ran.output_excerpt)).toBeLessThanOrEqual(4096);
    expect(ran.output_excerpt).not.toContain('\ufffd');
  });

  it('can be stored, whatever it is', async () => {
    const ran = await run(node('process.stdout.write(Buffer.from([97, 0, 255, 254, 98]))'));
    expect([ran.output_bytes, ran.output_excerpt]).toEqual([5, 'a\ufffd\ufffd\ufffdb']);
    const noise = await run(node('process.stdout.write(Buffer.alloc(10_000, 255))'));
    expect(Buffer.byteLength(noise.output_excerpt)).toBeLessThanOrEqual(4096);
  });

  it('of a gigabyte takes no memory', async () => {
    const before = process.memoryUsage().rss;
    let most = 0;
    const ran = await run('head -c 1073741824 /dev/zero', {
      limitMs: 60_000,
      onOutput: () => {
        most = Math.max(most, process.memoryUsage.rss() - before);
      },
    });
    expect(ran).toMatchObject({ verification: 'passed', output_bytes: 1073741824 });
    expect(most).toBeLessThan(200 * 1024 * 1024);
  }, 60_000);
});

it.each([
  [{ command: '' }],
  [{ command: '  ' }],
  [{ command: [] }],
  [{ command: [''] }],
  [{ command: 'true', limitMs: 0 }],
  [{ command: 'true', limitMs: 1.5 }],
  [{ command: 'true', limitMs: Number.NaN }],
  [{ command: 'true', limitMs: 2 ** 31 }],
])('%j is refused before anything runs', async (over) => {
  await expect(runVerification({ limitMs: 1000, ...over })).rejects.toThrow(TypeError);
});

it('shows a command as one would type it', () => {
  expect(commandText(['npm', 'run', "it's", 'a b', ''])).toBe("npm run 'it'\\''s' 'a b' ''");
  expect(commandText('make check')).toBe('make check');
  expect([...commandText('€'.repeat(5000))].length).toBe(4000);
});

// The tools of `.ci/tools`, which only CI installs: Deno, the Supabase CLI, and the service that Studio asks.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root of the repository. */
export const ROOT = join(dirname(fileURLToPath(import.meta.url)), '..', '..');

const TOOLS = join(ROOT, '.ci', 'tools', 'node_modules');

/** The path of a program of `.ci/tools`. A missing tool is an error, never a skipped test. */
export function tool(name: 'deno' | 'supabase'): string {
  return mustExist(join(TOOLS, '.bin', name));
}

/** The path of a file inside a package of `.ci/tools`. */
export function toolFile(path: string): string {
  return mustExist(join(TOOLS, path));
}

function mustExist(path: string): string {
  if (!existsSync(path)) throw new Error(`${path} is missing: run \`bash .ci/install-tools\``);
  return path;
}

/** What a program answered. */
export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/** Runs a program to its end without standard input; never throws on a bad exit code. */
export function run(
  command: string,
  args: string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv; timeoutMs?: number } = {},
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd ?? ROOT,
      env: { ...process.env, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: options.timeoutMs ?? 300_000,
      killSignal: 'SIGKILL',
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => {
      stdout += chunk;
    });
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += chunk;
    });
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? -1, stdout, stderr }));
  });
}

/** Runs a program and fails with everything it said when its exit code is not 0. */
export async function mustRun(...call: Parameters<typeof run>): Promise<Ran> {
  const ran = await run(...call);
  if (ran.code !== 0) {
    throw new Error(`${call[0]} ${call[1].join(' ')} ended with ${ran.code}\n${ran.stdout}\n${ran.stderr}`);
  }
  return ran;
}

/** Runs the Supabase CLI as CI does: no telemetry, no agent detection, no questions. */
export function supabase(args: string[], options: Parameters<typeof run>[2] = {}): Promise<Ran> {
  return run(tool('supabase'), [...args, '--agent', 'no'], {
    ...options,
    env: { SUPABASE_TELEMETRY_DISABLED: '1', DO_NOT_TRACK: '1', ...options.env },
  });
}

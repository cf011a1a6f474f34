import { spawn } from 'node:child_process';

/** What a program answered; `code` is null when there is no such program. */
export interface Ran {
  code: number | null;
  output: string;
}

/** Runs a program to its end, without input; standard output and error together, the last 64 kB of them. */
export function runProgram(program: string, args: string[], env = process.env): Promise<Ran> {
  return new Promise((resolve, reject) => {
    // Maven on Windows is a script, which only a shell runs.
    const shell = process.platform === 'win32' && !program.endsWith('.exe');
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'], shell });
    let output = '';
    const keep = (chunk: Buffer) => {
      output = (output + chunk).slice(-65_536);
    };
    child.stdout.on('data', keep);
    child.stderr.on('data', keep);
    child.on('error', (error: NodeJS.ErrnoException) =>
      error.code === 'ENOENT' || error.code === 'EACCES' ? resolve({ code: null, output }) : reject(error),
    );
    child.on('close', (code) => resolve({ code: code ?? -1, output }));
  });
}

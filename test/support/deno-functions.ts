// The edge functions as a Supabase project runs them: one Deno process for each, behind a proxy that hands
// `/functions/v1/<name>/...` to the function as `/<name>/...`. A process starts with its function's first request.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import { tool } from './tools.ts';

/** Running functions: `url` ends in `/functions/v1`. */
export interface DenoFunctions {
  url: string;
  stop(): Promise<void>;
}

/**
 * Serves every function of a folder on Deno.
 * `root` holds either `functions/<name>/index.ts` (the repository) or `<name>/functions/<name>/index.ts` (what a
 * deployment uploaded, each function alone). `env` is what a project's secrets would be.
 */
export async function startDenoFunctions(options: {
  root: string;
  env: Record<string, string>;
}): Promise<DenoFunctions> {
  const processes = new Map<string, Promise<DenoProcess>>();
  const processOf = (name: string) => {
    let running = processes.get(name);
    if (!running) {
      running = startProcess(folderOf(options.root, name), name, options.env);
      processes.set(name, running);
    }
    return running;
  };

  const server = createServer((incoming, outgoing) => {
    const match = /^\/functions\/v1(\/([a-z-]+)(?:[/?].*)?)$/.exec(incoming.url ?? '');
    const [, path, name] = match ?? [];
    if (!path || !name || !existsSync(join(folderOf(options.root, name), 'functions', name, 'index.ts'))) {
      outgoing.writeHead(404).end();
      return;
    }
    processOf(name).then(
      (running) => forward(incoming, outgoing, running.port, path),
      (error: unknown) => outgoing.writeHead(502).end(String(error)),
    );
  });
  const port = await listen(server);
  return {
    url: `http://127.0.0.1:${port}/functions/v1`,
    async stop() {
      const ended = await Promise.allSettled(processes.values());
      await Promise.all(ended.map((one) => (one.status === 'fulfilled' ? stopProcess(one.value.child) : undefined)));
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** The names of the functions in the repository: every folder of `functions/` that can be served. */
export function functionNames(root: string): string[] {
  return readdirSync(join(root, 'functions')).filter((name) => existsSync(join(root, 'functions', name, 'index.ts')));
}

interface DenoProcess {
  child: ChildProcess;
  port: number;
}

function folderOf(root: string, name: string): string {
  const alone = join(root, name);
  return existsSync(join(alone, 'functions', name, 'index.ts')) ? alone : root;
}

// Only the network and the environment: a function that wanted a file, a process or a foreign library would fail here
// as it does on the platform.
async function startProcess(folder: string, name: string, env: Record<string, string>): Promise<DenoProcess> {
  const child = spawn(
    tool('deno'),
    [
      'run',
      '--no-lock',
      '--no-prompt',
      '--allow-net',
      '--allow-env',
      '--config',
      `functions/${name}/deno.json`,
      `functions/${name}/index.ts`,
    ],
    {
      cwd: folder,
      env: { ...process.env, NO_COLOR: '1', DENO_NO_UPDATE_CHECK: '1', DENO_SERVE_ADDRESS: 'tcp:127.0.0.1:0', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    },
  );
  let said = '';
  return await new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`function ${name} did not listen within 60 s:\n${said}`));
    }, 60_000);
    const hear = (chunk: Buffer) => {
      said = (said + chunk).slice(-20_000);
      const port = /Listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(said)?.[1];
      if (port) {
        clearTimeout(timer);
        resolve({ child, port: Number(port) });
      }
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    child.on('exit', (code) => {
      clearTimeout(timer);
      reject(new Error(`function ${name} ended with ${code} before it listened:\n${said}`));
    });
  });
}

function forward(incoming: IncomingMessage, outgoing: ServerResponse, port: number, path: string): void {
  const onward = request(
    { host: '127.0.0.1', port, path, method: incoming.method, headers: incoming.headers },
    (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.rawHeaders);
      answer.pipe(outgoing);
    },
  );
  onward.on('error', (error) => {
    if (outgoing.headersSent) outgoing.destroy();
    else outgoing.writeHead(502).end(String(error));
  });
  outgoing.on('close', () => onward.destroy());
  incoming.pipe(onward);
}

function listen(server: Server): Promise<number> {
  return new Promise((resolve, reject) => {
    server.on('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      resolve(typeof address === 'object' && address ? address.port : 0);
    });
  });
}

function stopProcess(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.on('exit', () => resolve());
    child.kill('SIGKILL');
  });
}

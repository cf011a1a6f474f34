import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Neo4jLocalError } from './local-error.ts';
import { shippedFile } from './shipped-files.ts';

/** One Java process with a Neo4j in it. */
export interface ServerProcess {
  pid: number;
  port: number;
  /** Resolves when it has ended, however. */
  ended: Promise<void>;
  readonly alive: boolean;
  /** A clean end and a new start within the same Java, with the settings that stand there now. */
  restart(): Promise<void>;
  /** A clean end: transactions finish or roll back, the store is closed. */
  stop(): Promise<void>;
  /** What `kill -9` does. */
  kill(): Promise<void>;
}

interface Command {
  java: string;
  libraries: string;
  home: string;
  /** Null where the settings turn authentication off. */
  password: string | null;
  heap: string;
  quick: boolean;
}

const STOP_WITHIN_MS = 30_000;
/** What Neo4j's own start script opens to it. */
const OPENED = ['java.base/java.nio', 'java.base/java.io', 'java.base/sun.nio.ch', 'java.base/java.util.concurrent'];

/**
 * Starts the server and waits until its port listens.
 *
 * @throws Neo4jLocalError neo4j_not_started
 */
export async function startServerProcess(command: Command): Promise<ServerProcess> {
  const child = spawn(
    command.java,
    [
      `-Xmx${command.heap}`,
      '-XX:+ExitOnOutOfMemoryError',
      ...(command.quick ? ['-XX:TieredStopAtLevel=1', '-XX:+UseSerialGC'] : []),
      ...OPENED.map((name) => `--add-opens=${name}=ALL-UNNAMED`),
      '-cp',
      join(command.libraries, '*'),
      shippedFile('Neo4jLocal.java'),
      command.home,
    ],
    // Out of the terminal's process group: Ctrl-C reaches the parent alone, which then closes standard input.
    { stdio: ['pipe', 'pipe', 'pipe'], detached: true },
  );
  const ended = once(child, 'close').then(() => undefined);
  // Heard by who waits for a port, and by nobody later.
  child.on('error', () => {});
  // The process may end before it has read its password.
  child.stdin.on('error', () => {});
  child.stdin.write(`${command.password ?? ''}\n`);
  const port = await listening(child, command.home);
  const restart = async () => {
    const again = listening(child, command.home);
    child.stdin.write('again\n');
    await again;
  };
  const end = async (how: () => void) => {
    how();
    await ended;
  };
  return {
    pid: child.pid as number,
    port,
    ended,
    get alive() {
      return child.exitCode === null && child.signalCode === null;
    },
    restart,
    kill: () => end(() => child.kill('SIGKILL')),
    stop: () =>
      end(() => {
        child.stdin.end();
        const timer = setTimeout(() => child.kill('SIGKILL'), STOP_WITHIN_MS);
        void ended.then(() => clearTimeout(timer));
      }),
  };
}

/** The port of the next server that the process says it has started. */
function listening(child: ChildProcess, home: string): Promise<number> {
  let said = '';
  return new Promise<number>((resolve, reject) => {
    const onOutput = (chunk: Buffer) => {
      said = (said + chunk).slice(-65_536);
      const found = /^listening (\d+)$/m.exec(said);
      if (found) settle(() => resolve(Number(found[1])));
    };
    const onError = (error: Error) => settle(() => reject(notStarted(error.message, home, said)));
    const onClose = (code: number | null) =>
      settle(() => reject(notStarted(reasonIn(said) ?? `it ended with exit code ${code}`, home, said)));
    const settle = (how: () => void) => {
      child.stdout?.off('data', onOutput).resume();
      child.stderr?.off('data', onOutput).resume();
      child.off('error', onError).off('close', onClose);
      how();
    };
    child.stdout?.on('data', onOutput);
    child.stderr?.on('data', onOutput);
    child.on('error', onError);
    child.on('close', onClose);
  });
}

/** The innermost cause of a Java stack trace. */
function reasonIn(said: string): string | undefined {
  if (said.includes('OutOfMemoryError')) return 'its heap is too small (the option `heap`)';
  const causes = [...said.matchAll(/^(?:Caused by: |Exception in thread "main" )?[\w.$]+(?:Exception|Error): (.+)$/gm)];
  return causes.at(-1)?.[1];
}

function notStarted(reason: string, home: string, said: string): Neo4jLocalError {
  return new Neo4jLocalError(
    'neo4j_not_started',
    `The local Neo4j in ${home} did not start: ${reason}`,
    `See ${join(home, 'logs')}; another Neo4j may use this folder or port.`,
    { cause: new Error(said) },
  );
}

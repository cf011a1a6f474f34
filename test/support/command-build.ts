import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from './tools.ts';

export interface BuiltCommand {
  /** What `node` runs: the command as it is shipped. */
  main: string;
  remove(): void;
}

/** `outcome-ledger` built once for all test files of a run. Packages stay where they are. */
export async function buildCommand(): Promise<BuiltCommand> {
  const cache = path.join(ROOT, 'node_modules', '.cache');
  mkdirSync(cache, { recursive: true });
  const outDir = mkdtempSync(path.join(cache, 'outcome-ledger-cli-'));
  const main = path.join(outDir, 'src/cli/main.js');
  const tsc = path.join(ROOT, 'node_modules/.bin/tsc');
  const build = promisify(execFile)(tsc, ['-p', 'tsconfig.build.json', '--outDir', outDir], { cwd: ROOT });
  await build.catch((error: { stdout?: string }) => {
    if (!existsSync(main)) throw new Error(`the command was not built:\n${error.stdout}`);
  });
  return { main, remove: () => rmSync(outDir, { recursive: true, force: true }) };
}

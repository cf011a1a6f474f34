import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Neo4jLocalError } from './local-error.ts';
import { runProgram } from './run-program.ts';
import { shippedFile } from './shipped-files.ts';

/** The user's cache folder of this package, as each system has it. */
export function cacheFolder(env: NodeJS.ProcessEnv = process.env, platform = process.platform): string {
  if (env['XDG_CACHE_HOME']) return join(env['XDG_CACHE_HOME'], 'outcome-ledger');
  if (platform === 'darwin') return join(homedir(), 'Library', 'Caches', 'outcome-ledger');
  if (platform === 'win32' && env['LOCALAPPDATA']) return join(env['LOCALAPPDATA'], 'outcome-ledger', 'cache');
  return join(homedir(), '.cache', 'outcome-ledger');
}

/**
 * The folder with Neo4j's jars. Maven fetches them the first time (about 120 MB); later starts need neither Maven nor network.
 *
 * @throws Neo4jLocalError maven_missing, neo4j_not_fetched
 */
export async function neo4jLibraries(
  cache = cacheFolder(),
  say: (line: string) => void = () => {},
  env = process.env,
): Promise<string> {
  const pom = shippedFile('pom.xml');
  const text = readFileSync(pom);
  const folder = join(cache, `neo4j-${createHash('sha256').update(text).digest('hex').slice(0, 12)}`);
  if (existsSync(folder)) return folder;

  say('Fetching Neo4j with Maven, once (120 MB) …');
  // Into a folder of its own, moved in place when it is whole: a start that is cut off leaves no half set behind.
  mkdirSync(cache, { recursive: true });
  const partial = mkdtempSync(`${folder}.partial-`);
  try {
    const copy = ['dependency:copy-dependencies', '-DincludeScope=runtime', `-DoutputDirectory=${partial}`];
    const ran = await runProgram('mvn', ['--batch-mode', '--quiet', '--file', pom, ...copy], env);
    if (ran.code === null) {
      throw new Neo4jLocalError(
        'maven_missing',
        'A local Neo4j is fetched with Maven, and there is no `mvn` on the PATH.',
        'Install Maven (Debian: `apt install maven`; macOS: `brew install maven`), or name a Neo4j that runs already in NEO4J_URI.',
      );
    }
    if (ran.code !== 0) throw notFetched(ran.output);
    moveInPlace(partial, folder);
  } finally {
    rmSync(partial, { recursive: true, force: true });
  }
  return folder;
}

function moveInPlace(partial: string, folder: string): void {
  try {
    renameSync(partial, folder);
  } catch (error) {
    // Another process has put the same set there.
    if (!existsSync(folder)) throw error;
  }
}

function notFetched(output: string): Neo4jLocalError {
  const reason = output
    .split('\n')
    .map((line) => line.replace(/^\[ERROR\]\s*/, '').trim())
    .find((line) => line !== '');
  return new Neo4jLocalError(
    'neo4j_not_fetched',
    `Maven did not fetch Neo4j: ${reason ?? 'it said nothing'}`,
    'Check the network and Maven’s settings (a proxy or mirror stands in ~/.m2/settings.xml), then start again.',
    { cause: new Error(output) },
  );
}

import { join } from 'node:path';
import { Neo4jLocalError } from './local-error.ts';
import { runProgram } from './run-program.ts';

const OLDEST_JAVA = 17;
const REMEDY =
  'Install a JDK of 17 or later (Debian: `apt install openjdk-17-jdk-headless`; macOS: `brew install openjdk@21`), or set JAVA_HOME; ' +
  'or name a Neo4j that runs already in NEO4J_URI.';

/**
 * The path of a Java that can run Neo4j 5: JAVA_HOME's, or the one on the PATH. A JDK, for the server's main file is compiled
 * as it starts.
 *
 * @throws Neo4jLocalError java_missing, java_outdated
 */
export async function findJava(env: NodeJS.ProcessEnv = process.env): Promise<string> {
  const java = env['JAVA_HOME'] ? join(env['JAVA_HOME'], 'bin', 'java') : 'java';
  const ran = await runProgram(java, ['-version'], env);
  if (ran.code === null) {
    const where = env['JAVA_HOME'] ? `in JAVA_HOME (${env['JAVA_HOME']})` : 'on the PATH';
    throw new Neo4jLocalError('java_missing', `A local Neo4j needs Java, and there is none ${where}.`, REMEDY);
  }
  const version = majorVersion(ran.output);
  if (version !== null && version < OLDEST_JAVA) {
    throw new Neo4jLocalError(
      'java_outdated',
      `A local Neo4j needs Java ${OLDEST_JAVA}; ${java} is ${version}.`,
      REMEDY,
    );
  }
  return java;
}

/** `openjdk version "17.0.15"` → 17, `java version "1.8.0_392"` → 8. */
export function majorVersion(output: string): number | null {
  const found = /version "(\d+)(?:\.(\d+))?/.exec(output);
  if (!found) return null;
  return Number(found[1] === '1' ? (found[2] ?? 1) : found[1]);
}

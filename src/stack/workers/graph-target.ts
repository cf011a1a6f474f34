import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';

/** A graph by how it is reached; credentials included, so never logged. */
export type GraphTarget =
  | { kind: 'neo4j'; uri: string; user?: string; password?: string; database?: string }
  | { kind: 'embedded'; directory: string };

export type GraphKind = GraphTarget['kind'];

/** A graph cannot be used as it was named; `remedy` says what to change. */
export class GraphUnavailable extends Error {
  readonly code: 'graph_not_installed' | 'graph_not_named' | 'sync_login_unknown';
  readonly remedy: string;

  constructor(code: GraphUnavailable['code'], message: string, remedy: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'GraphUnavailable';
    this.code = code;
    this.remedy = remedy;
  }
}

const SCHEMES = ['neo4j:', 'neo4j+s:', 'neo4j+ssc:', 'bolt:', 'bolt+s:', 'bolt+ssc:'];

/**
 * The Neo4j that the environment names (`NEO4J_URI`, `NEO4J_USER` or `NEO4J_USERNAME`, `NEO4J_PASSWORD`,
 * `NEO4J_DATABASE`), as Aura's credentials file spells it; undefined when `NEO4J_URI` is not set.
 *
 * @throws GraphUnavailable `graph_not_named` for what is no address of a Neo4j
 */
export function neo4jFromEnvironment(env: NodeJS.ProcessEnv): GraphTarget | undefined {
  const uri = env['NEO4J_URI'];
  if (!uri) return undefined;
  if (!URL.canParse(uri) || !SCHEMES.includes(new URL(uri).protocol)) {
    const known = SCHEMES.map((scheme) => `${scheme}//`).join(', ');
    throw new GraphUnavailable(
      'graph_not_named',
      `NEO4J_URI is no address of a Neo4j: it begins with none of ${known}`,
      'NEO4J_URI=neo4j+s://HOST',
    );
  }
  return {
    kind: 'neo4j',
    uri,
    user: env['NEO4J_USER'] || env['NEO4J_USERNAME'] || undefined,
    password: env['NEO4J_PASSWORD'] || undefined,
    database: env['NEO4J_DATABASE'] || undefined,
  };
}

/** The variables that `neo4jFromEnvironment` reads back in another process. */
export function neo4jEnvironment(target: GraphTarget): Record<string, string> {
  if (target.kind !== 'neo4j') return {};
  const { uri, user = '', password = '', database = '' } = target;
  return { NEO4J_URI: uri, NEO4J_USER: user, NEO4J_USERNAME: '', NEO4J_PASSWORD: password, NEO4J_DATABASE: database };
}

const PACKAGES: Record<GraphKind, string> = { neo4j: 'neo4j-driver', embedded: '@ladybugdb/core' };

/** Whether the optional package of this kind of graph is installed, with its native part for this platform. */
export function isInstalled(kind: GraphKind): boolean {
  try {
    const main = createRequire(import.meta.url).resolve(PACKAGES[kind]);
    if (kind === 'embedded' && !existsSync(path.join(path.dirname(main), 'lbugjs.node'))) {
      createRequire(main).resolve(`${PACKAGES[kind]}-${process.platform}-${process.arch}`);
    }
    return true;
  } catch {
    return false;
  }
}

/** @throws GraphUnavailable `graph_not_installed` with the command that installs it */
export function requireInstalled(kind: GraphKind): void {
  if (isInstalled(kind)) return;
  const name = PACKAGES[kind];
  const what = kind === 'neo4j' ? 'Neo4j' : 'the embedded graph';
  throw new GraphUnavailable(
    'graph_not_installed',
    `${what} needs the optional package ${name}, which is not installed`,
    `npm install ${name}`,
  );
}

import { Option } from 'commander';
import {
  type GraphTarget,
  GraphUnavailable,
  isInstalled,
  neo4jFromEnvironment,
} from '../stack/workers/graph-target.ts';
import { DATABASE_VARIABLES, type WorkerName } from '../stack/workers/names.ts';
import { preflight, usage } from './failure.ts';
import { fromEnvironment } from './options.ts';
import type { Terminal } from './terminal.ts';

/** Options of commands that work on a mirror without a stack: both of its sides. */
export interface MirrorOptions {
  databaseUrl?: string;
  graph: 'neo4j' | 'embedded';
  graphDir?: string;
  tenant?: string;
}

export function syncDatabaseUrlOption(): Option {
  return new Option(
    '--database-url <url>',
    `the ledger, as the login ledger_sync on a session connection (${DATABASE_VARIABLES.sync}; no other variable is read)`,
  );
}

export function graphOption(): Option {
  return new Option('--graph <kind>', 'the graph: the Neo4j that NEO4J_URI names, or an embedded one')
    .choices(['neo4j', 'embedded'])
    .default('neo4j');
}

/** The flag, else the worker's own variable: that of other commands holds the owner's connection. */
export function workerDatabaseUrlOf(worker: WorkerName, flag: string | undefined): string | undefined {
  const url = flag ?? fromEnvironment(DATABASE_VARIABLES[worker]);
  if (url === undefined) return undefined;
  const { protocol } = URL.canParse(url) ? new URL(url) : { protocol: '' };
  if (protocol === 'postgres:' || protocol === 'postgresql:') return url;
  throw preflight(
    'database_unreachable',
    'the database URL cannot be read',
    'write postgres://user:password@host:port/name',
  );
}

/** The graph that the options and the environment name; its package need not be installed. */
export function graphTargetOf(options: Pick<MirrorOptions, 'graph' | 'graphDir'>): GraphTarget {
  if (options.graph === 'embedded') {
    if (options.graphDir === undefined)
      throw usage('--graph embedded needs the folder of its files', 'give --graph-dir');
    return { kind: 'embedded', directory: options.graphDir };
  }
  if (options.graphDir !== undefined) throw usage('--graph-dir is of the embedded graph', 'give --graph embedded too');
  const target = neo4jOf();
  if (target) return target;
  throw usage(
    'which graph? NEO4J_URI is not set',
    'set NEO4J_URI, NEO4J_USER, NEO4J_PASSWORD and NEO4J_DATABASE; or give --graph embedded --graph-dir DIR',
  );
}

/** The Neo4j that the environment names. */
export function neo4jOf(): GraphTarget | undefined {
  try {
    return neo4jFromEnvironment(process.env);
  } catch (error) {
    throw error instanceof GraphUnavailable ? usage(error.message, error.remedy) : error;
  }
}

/** The embedded graph where its package is installed; without it the ledger is whole too, and a line says how to get it. */
export function defaultGraph(terminal: Terminal): 'embedded' | 'none' {
  if (isInstalled('embedded')) return 'embedded';
  terminal.err('no graph: @ladybugdb/core is not installed; npm install @ladybugdb/core adds the embedded one');
  return 'none';
}

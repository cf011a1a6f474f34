import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import neo4j from 'neo4j-driver';
import { OUTCOME_COLUMNS } from '../../lineage/graph/embedded/columns.ts';
import { startNeo4jLocal } from '../../lineage/neo4j-local/start.ts';
import { embeddedSource, neo4jSource } from '../../lineage/sync/sources.ts';
import type { GraphSource } from '../../lineage/sync/types.ts';
import type { Rows } from './batches.ts';
import { openRawEmbedded } from './raw-embedded.ts';
import { openRawNeo4j } from './raw-neo4j.ts';

/** The driver or the library without the mirror. */
export interface Raw {
  write(rows: Rows): Promise<void>;
  /** Each row a statement and a transaction of its own. */
  writeOneByOne(rows: Rows): Promise<void>;
  close(): Promise<void>;
}

/** A kind of graph under measurement: stores of the mirror and raw ones beside each other. */
export interface MeasuredGraph {
  name: string;
  /** An empty store for the mirror; what was in the last one is gone. */
  fresh(): Promise<GraphSource>;
  /** An empty raw store; what was in the last one is gone. */
  raw(): Promise<Raw>;
  /** What `sync-child.ts` opens. */
  order(source: GraphSource): object;
  stop(): Promise<void>;
}

/** The embedded graph, in temporary folders. */
export function embeddedGraph(): MeasuredGraph {
  const folders: string[] = [];
  const folder = async () => {
    const made = await mkdtemp(path.join(os.tmpdir(), 'outcome-ledger-bench-'));
    folders.push(made);
    return made;
  };
  return {
    name: 'embedded',
    fresh: async () => embeddedSource({ directory: await folder() }),
    raw: async () => openRawEmbedded(await folder(), OUTCOME_COLUMNS),
    order: ({ address }) => ({ kind: 'embedded', directory: address }),
    stop: async () => void (await Promise.all(folders.map((one) => rm(one, { recursive: true, force: true })))),
  };
}

/** A Neo4j of the benchmark's own. Community has one database, so raw nodes have a label of their own beside the mirror's. */
export async function neo4jGraph(): Promise<MeasuredGraph> {
  const server = await startNeo4jLocal({ heap: '2g', say: console.error });
  const { uri, user, password } = server;
  const options = { uri, user, password };
  const empty = async (...labels: string[]) => {
    const driver = neo4j.driver(uri, neo4j.auth.basic(user, password));
    for (const label of labels) {
      const session = driver.session({ database: 'neo4j' });
      await session.run(`match (n:${label}) call (n) { detach delete n } in transactions of 10000 rows`);
      await session.close();
    }
    await driver.close();
  };
  return {
    name: 'Neo4j 5.26',
    async fresh() {
      await empty('Outcome', 'LedgerPosition');
      return neo4jSource(options);
    },
    async raw() {
      await empty('Raw');
      return openRawNeo4j(options, 'Raw');
    },
    order: () => ({ kind: 'neo4j', ...options }),
    stop: () => server.stop(),
  };
}

import { get, type IncomingMessage } from 'node:http';
import neo4j from 'neo4j-driver';
import { afterAll, beforeAll, inject } from 'vitest';
import { type Neo4jLocal, type Neo4jLocalOptions, startNeo4jLocal } from '../../lineage/neo4j-local/start.ts';
import { SMALL } from './neo4j-lender.ts';

/** A real Neo4j, and a plain driver past the code under test. */
export interface Neo4jBench {
  readonly uri: string;
  readonly user: string;
  readonly password: string;
  /** Runs one statement as it is; integers as bigint. */
  run(text: string, parameters?: Record<string, unknown>): Promise<Record<string, unknown>[]>;
  /** No node, no constraint, no index. */
  empty(): Promise<void>;
  /** No node, and no constraint or index but the mirror's own: to make those anew takes longer than most tests. */
  clear(): Promise<void>;
  options(): { uri: string; user: string; password: string };
}

/** One of the test file's own, which it may stop, kill and restart. */
export interface Neo4jServer extends Neo4jBench, Omit<Neo4jLocal, keyof Neo4jBench> {}

/** The run's one Neo4j, to this test file alone for as long as it runs, and empty. Members are there once `beforeAll` has run. */
export function useNeo4j(): Neo4jBench {
  let current: (Neo4jBench & { close(): Promise<void> }) | undefined;
  let giveBack = () => {};
  beforeAll(async () => {
    const borrowed = await borrow();
    giveBack = borrowed.giveBack;
    current = benchAt(borrowed);
    await current.empty();
  }, 240_000);
  afterAll(async () => {
    await current?.close();
    giveBack();
  });
  return new Proxy({} as Neo4jBench, {
    get(_target, member) {
      if (!current) throw new Error(`useNeo4j(): "${String(member)}" is read before beforeAll has run`);
      return current[member as keyof Neo4jBench];
    },
  });
}

export async function startNeo4j(options: Neo4jLocalOptions = {}): Promise<Neo4jServer> {
  const settings = { ...SMALL.settings, ...options.settings };
  const server = await startNeo4jLocal({ ...SMALL, say: console.error, ...options, settings });
  const bench = benchAt(server);
  const stop = server.stop.bind(server);
  // In place: `pid` and `ended` are getters of the server that runs now.
  return Object.assign(server, bench, {
    async stop() {
      await bench.close();
      await stop();
    },
  });
}

function benchAt({ uri, user, password }: Pick<Neo4jLocal, 'uri' | 'user' | 'password'>) {
  const driver = neo4j.driver(uri, neo4j.auth.basic(user, password), {
    useBigInt: true,
    notificationFilter: { minimumSeverityLevel: 'OFF' },
  });
  const run = async (text: string, parameters: Record<string, unknown> = {}) => {
    const session = driver.session({ database: 'neo4j' });
    try {
      return (await session.run(text, parameters)).records.map((record) => record.toObject());
    } finally {
      await session.close();
    }
  };
  const drop = async (what: 'constraint' | 'index', but: string) => {
    const found = await run(`show ${what === 'index' ? 'indexes' : 'constraints'} yield name, type where ${but}`);
    for (const { name } of found) await run(`drop ${what} ${name} if exists`);
  };
  return {
    uri,
    user,
    password,
    run,
    async empty() {
      await run('match (n) call (n) { detach delete n } in transactions of 5000 rows');
      await drop('constraint', 'true');
      await drop('index', 'type <> "LOOKUP"');
    },
    async clear() {
      await run('match (n) detach delete n');
      await drop('constraint', 'not name starts with "outcome_ledger_"');
      await drop('index', 'type <> "LOOKUP" and not name starts with "outcome_ledger_"');
    },
    options: () => ({ uri, user, password }),
    close: () => driver.close(),
  };
}

async function borrow() {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    get(new URL('/neo4j', inject('sharedServerUrl')), { agent: false }, resolve).on('error', reject);
  });
  const said = await new Promise<string>((resolve, reject) => {
    response.setEncoding('utf8').once('data', resolve).once('error', reject);
  });
  if (response.statusCode !== 200) throw new Error(`the run’s Neo4j did not start: ${said}`);
  // The connection's end may show as a fault of it.
  response.on('error', () => {});
  const access = JSON.parse(said) as Pick<Neo4jLocal, 'uri' | 'user' | 'password'>;
  return { ...access, giveBack: () => void response.destroy() };
}

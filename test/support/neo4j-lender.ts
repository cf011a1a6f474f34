import type { ServerResponse } from 'node:http';
import { type Neo4jLocal, type Neo4jLocalOptions, startNeo4jLocal } from '../../lineage/neo4j-local/start.ts';

/** A server for some thousand nodes that is there soon. */
export const SMALL: Neo4jLocalOptions = {
  quick: true,
  heap: '384m',
  settings: { 'server.memory.pagecache.size': '16m' },
};

/** The run's Neo4j, lent to one test file after the other. */
export interface Neo4jLender {
  /** Answers with the server's address and leaves the answer open: it is lent until the other side hangs up, or dies. */
  lend(response: ServerResponse): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a server when somebody asks and none is idle: one, where test files run in turn. */
export function neo4jLender(): Neo4jLender {
  const started: Promise<Neo4jLocal>[] = [];
  const idle: Neo4jLocal[] = [];
  const start = () => {
    const starting = startNeo4jLocal({ ...SMALL, say: console.error });
    started.push(starting);
    return starting;
  };
  return {
    async lend(response) {
      const server = idle.pop() ?? (await start());
      const back = () => void idle.push(server);
      if (response.destroyed) return back();
      response.on('close', back);
      const { uri, user, password } = server;
      response.write(`${JSON.stringify({ uri, user, password })}\n`);
    },
    async stop() {
      for (const starting of started) {
        const server = await starting.catch(() => undefined);
        // Nothing of it is kept, so it need not end in order.
        await server?.kill();
        await server?.stop();
      }
    },
  };
}

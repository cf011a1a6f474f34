import path from 'node:path';
import { keepRunning } from './keep-running.ts';
import { freePort } from './postgres/index.ts';
import type { GraphOptions } from './stack-graph.ts';
import type { GraphServer, StackState } from './state.ts';
import { type GraphTarget, neo4jFromEnvironment } from './workers/graph-target.ts';

/**
 * The Neo4j of a stack: the one that the environment names, else one that is started here and started again, on its port,
 * whenever it ends. `state` says where it is and follows its restarts.
 *
 * @throws GraphUnavailable, Neo4jLocalError
 */
export async function neo4jOf(
  state: StackState,
  options: GraphOptions,
): Promise<{ target: GraphTarget; neo4jPort?: number }> {
  const named = neo4jFromEnvironment(process.env);
  if (named?.kind === 'neo4j') {
    const { uri, user = null, database = null } = named;
    state.neo4j = { uri, user, database, password: null, password_in: 'NEO4J_PASSWORD', state: 'running' };
    return { target: named };
  }
  const { startNeo4jLocal } = await import('../../lineage/neo4j-local/start.ts');
  const { onProgress, onNotice, undo } = options;
  onProgress('starting Neo4j');
  const port = await freePort(options.neo4jPort);
  const home = path.join(state.data_dir, 'neo4j');
  const password = await options.secrets.passwordOf('neo4j');
  const neo4j = await startNeo4jLocal({ home, password, port, say: onProgress });
  undo.push(() => neo4j.stop());
  const { uri, user } = neo4j;
  const server: GraphServer = {
    ...{ uri, user, database: 'neo4j', password },
    password_in: `${path.join(state.data_dir, 'secrets.json')}, passwords.neo4j`,
    state: 'running',
  };
  state.neo4j = server;
  const logFile = path.join(home, 'logs', 'debug.log');
  const kept = {
    get exited() {
      return neo4j.ended;
    },
    restart: () => neo4j.restart(),
  };
  const keeper = keepRunning(kept, {
    name: 'Neo4j',
    logFile,
    onNotice,
    onState(now, cause) {
      server.state = now;
      server.reason = now === 'running' ? undefined : awayBecause(cause, logFile);
      options.save().catch((error: unknown) => onNotice(`the state of Neo4j cannot be kept: ${String(error)}`));
    },
  });
  // Released before it is stopped: that is no death.
  undo.push(() => keeper.release());
  return { target: { kind: 'neo4j', uri, user, password, database: 'neo4j' }, neo4jPort: port };
}

function awayBecause(cause: unknown, logFile: string): GraphServer['reason'] {
  const why = cause instanceof Error ? `; the last start failed: ${cause.message}` : '';
  return {
    code: 'neo4j_restarting',
    message: `Neo4j ended and is being started again${why}`,
    remedy: `nothing is lost, the mirror catches up by itself; should it last: read ${logFile}`,
  };
}

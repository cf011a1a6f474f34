import path from 'node:path';
import type { Secrets } from './secrets.ts';
import { neo4jOf } from './stack-neo4j.ts';
import type { StackState } from './state.ts';
import { startChild } from './workers/child.ts';
import { explainGraphDeath } from './workers/graph-deaths.ts';
import { type GraphTarget, GraphUnavailable, neo4jEnvironment, requireInstalled } from './workers/graph-target.ts';
import { keepWorkers } from './workers/keep-workers.ts';
import { DATABASE_VARIABLES } from './workers/names.ts';
import { ledgerProgram } from './workers/program.ts';

export type GraphOptions = {
  /** As `ledger_sync`; undefined where its password is not known here. */
  databaseUrl: string | undefined;
  /** The port that the local Neo4j had last. */
  neo4jPort: number | undefined;
  secrets: Secrets;
  /** What the worker says is appended here. */
  logFile: string;
  /** Writes `state` down, once the stack serves. */
  save: () => Promise<void>;
  onProgress: (text: string) => void;
  onNotice: (text: string) => void;
  /** What stops what was started; the last one pushed is called first. */
  undo: (() => unknown)[];
};

/**
 * Starts the graph that `state` names and the worker that keeps it up, in a process of its own: whatever a graph's native
 * code does there, the ledger goes on. `state` follows the worker's restarts.
 *
 * @throws GraphUnavailable, Neo4jLocalError, WorkerNotStarted with a code and a remedy
 */
export async function startGraph(state: StackState, options: GraphOptions): Promise<{ neo4jPort?: number }> {
  if (state.graph === 'none') return {};
  requireInstalled(state.graph);
  const databaseUrl = syncLogin(options.databaseUrl);
  const { target, neo4jPort } = await graphOf(state, options);
  options.onProgress('starting the sync worker');
  const where = target.kind === 'embedded' ? ['--graph-dir', target.directory] : [];
  const order = {
    args: [...ledgerProgram(), 'workers', 'sync', '--json', '--port', '0', '--graph', target.kind, ...where],
    env: {
      ...neo4jEnvironment(target),
      [DATABASE_VARIABLES.sync]: databaseUrl,
      OUTCOME_LEDGER_CONTROL_TOKEN: state.control_token,
    },
    logFile: options.logFile,
  };
  const kept = await keepWorkers({
    name: 'sync',
    start: () => startChild(order),
    explain: (how, lastWords) =>
      target.kind === 'embedded' ? explainGraphDeath(target.directory, how, lastWords) : undefined,
    logFile: options.logFile,
    onNotice: options.onNotice,
    async onState(worker) {
      state.workers = [worker, ...state.workers.filter(({ name }) => name !== worker.name)];
      await options.save();
    },
  });
  options.undo.push(() => kept.stop());
  return { neo4jPort };
}

function syncLogin(known: string | undefined): string {
  const databaseUrl = known ?? process.env[DATABASE_VARIABLES.sync];
  if (databaseUrl) return databaseUrl;
  throw new GraphUnavailable(
    'sync_login_unknown',
    'somebody gave the login ledger_sync of this database a password that is not known here',
    `set ${DATABASE_VARIABLES.sync} to its connection string, or start without a graph: --graph none`,
  );
}

async function graphOf(state: StackState, options: GraphOptions): Promise<{ target: GraphTarget; neo4jPort?: number }> {
  if (state.graph === 'embedded') {
    return { target: { kind: 'embedded', directory: path.join(state.data_dir, 'graph') } };
  }
  return neo4jOf(state, options);
}

import type { Stack } from './stack.ts';
import type { StackState } from './state.ts';
import { createTenant } from './tenants.ts';
import { mirrorOf } from './workers/client.ts';

/** The handle of a stack whose state is known, run by this process or another. */
export function stackOf(state: StackState, doing: Pick<Stack, 'stop' | 'stopped' | 'mintToken' | 'rotateKeys'>): Stack {
  return {
    functionsUrl: state.functions_url,
    jwksUrl: state.jwks_url,
    issuer: state.issuer,
    dataDir: state.data_dir,
    databaseUrl: state.database_url,
    adminUrl: state.admin_url,
    gatewayUrl: state.gateway_url,
    auditorUrl: state.auditor_url,
    graph: state.graph,
    get neo4j() {
      return state.neo4j;
    },
    // Not copied: the state follows each restart of a worker.
    get workers() {
      return state.workers;
    },
    mirror: mirrorOf(state.data_dir),
    pid: state.pid,
    startedAt: state.started_at,
    createTenant: (tenant) => createTenant(state.database_url, tenant),
    mintToken: doing.mintToken,
    rotateKeys: doing.rotateKeys,
    stop: doing.stop,
    // Not copied: an attached stack begins to watch the other process only when somebody asks.
    get stopped() {
      return doing.stopped;
    },
  };
}

import type { Caller } from '../../src/database/claims.ts';
import { PooledConnection } from '../../src/database/pooled-connection.ts';
import type { Statement } from '../../src/database/statement.ts';
import { SOURCE } from './envelope.ts';

/** Sessions of the functions' login; each call is one pipelined round trip: begin, role and claims, the statement, commit. */
export interface Connections {
  /** The server's processes of these sessions. */
  readonly pids: readonly number[];
  run(worker: number, statement: Statement): Promise<unknown>;
  close(): Promise<void>;
}

/** Opens `count` of the gateway's own connections, which both sides of a comparison use; by default of the agent that records. */
export async function openConnections(
  url: string,
  tenantId: string,
  count: number,
  role: Caller['role'] = 'agent',
): Promise<Connections> {
  const caller = callerOf(tenantId, role);
  const open = () => PooledConnection.open({ url, mode: 'session', connectTimeout: 10 });
  const connections = await Promise.all(Array.from({ length: count }, open));
  const pid = { text: 'select pg_backend_pid()::text as answer', values: [] };
  const pids = await Promise.all(connections.map(async (c) => Number(await c.run(caller, pid))));
  return {
    pids,
    async run(worker, statement) {
      const connection = connections[worker];
      if (!connection) throw new Error(`no connection ${worker}`);
      return connection.run(caller, statement);
    },
    close: async () => void (await Promise.all(connections.map((connection) => connection.close()))),
  };
}

function callerOf(tenantId: string, role: Caller['role']): Caller {
  const actorId = role === 'agent' ? SOURCE.id : role;
  return { subject: actorId, tenantId, role, actorId };
}

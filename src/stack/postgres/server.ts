import { findBinaries } from './binaries.ts';
import { ensureCluster, SUPERUSER } from './cluster.ts';
import { launchPatiently, NotStarted } from './launch.ts';
import { freePort } from './port.ts';
import { endOrphan } from './postmaster.ts';
import { serverUser } from './system-user.ts';

export type ServerOptions = {
  /** The cluster's own folder; made when absent. Its parent must be enterable by the server's user. */
  directory: string;
  /** Where the server writes its log, appended to. */
  logFile: string;
  /** Password of the superuser `supabase_admin`; must be the one the cluster was made with. */
  password: string;
  /** Preferred port; another free one is taken when it is in use. */
  port?: number;
  /** Server settings, e.g. `{ fsync: 'off' }`. */
  settings?: Record<string, string>;
  /** A temporary folder that is deleted should this process be killed. */
  temporary?: string;
};

export type StopMode = 'fast' | 'immediate';

export interface Server {
  readonly port: number;
  readonly pid: number;
  readonly directory: string;
  /** Settles when the process of now has ended, stopped or not; after a restart it is another promise. */
  readonly exited: Promise<void>;
  /** Connection string of the superuser; `database` defaults to `postgres`. */
  url(database?: string): string;
  /** Ends sessions and shuts down; `immediate` dies as in a crash, and the next start recovers. */
  stop(mode?: StopMode): Promise<void>;
  /** Starts again on the same port and files, after a stop or after a death. */
  restart(): Promise<void>;
}

/** Starts an embedded PostgreSQL 17 on loopback, making its cluster first when there is none. */
export async function startServer(options: ServerOptions): Promise<Server> {
  const user = await serverUser();
  const binaries = await findBinaries(user);
  const durable = options.settings?.['fsync'] !== 'off';
  await ensureCluster({ directory: options.directory, binaries, user, password: options.password, durable });
  await endOrphan(options.directory);
  let port = await freePort(options.port);
  const begin = () => launchPatiently(binaries, user, options, port);
  let running = await begin().catch(async (error) => {
    // Someone else may have taken the port between the look and the start.
    if (!(error instanceof NotStarted && error.portTaken)) throw error;
    port = await freePort();
    return begin();
  });

  return {
    get port() {
      return port;
    },
    get pid() {
      return running.pid;
    },
    directory: options.directory,
    get exited() {
      return running.exited;
    },
    url: (database = 'postgres') => `postgres://${SUPERUSER}:${options.password}@127.0.0.1:${port}/${database}`,
    stop: (mode = 'fast') => running.stop(mode),
    async restart() {
      await running.stop('fast');
      await endOrphan(options.directory);
      running = await begin();
    },
  };
}

import { timingSafeEqual } from 'node:crypto';
import { type Context, Hono, type MiddlewareHandler } from 'hono';
import type { SyncWorker } from '../../../lineage/index.ts';
import { type CypherRequest, runCypher } from './cypher.ts';
import { knownProblem, problem, type WorkerProblem } from './problem.ts';
import type { SyncControl } from './sync-control.ts';

type WorkerApp = {
  /** `/healthz` and `/metrics`. */
  health: Hono;
  /** What can be asked of the graph that this process has open; absent where it has none. */
  sync?: SyncParts;
  /** Whoever shows it may ask for more than health and metrics; absent: nobody may. */
  controlToken?: string;
  /** Told of errors that nobody foresaw. */
  onError(error: unknown): void;
};

type SyncParts = {
  worker: SyncWorker;
  control: SyncControl;
  /** Ends what takes long, because the process is to end. */
  stopping: AbortSignal;
};

const LONGEST_CATCH_UP_MS = 10 * 60_000;

/** What a process of workers answers: its health, and to the holder of the control token what needs the graph it has open. */
export function createWorkerApp({ health, sync, controlToken, onError }: WorkerApp): Hono {
  const app = new Hono();
  app.route('/', health);
  app.use('/control/*', async (c, next) => {
    if (!controlToken || !isBearer(c.req.header('authorization'), controlToken)) {
      return answer(c, problem(403, 'Not permitted', 'not_permitted', 'this needs the control token', null));
    }
    return next();
  });
  if (sync) app.route('/control', syncRoutes(sync));
  app.notFound((c) => {
    const detail = `Nothing is served at ${c.req.path}; /healthz and /metrics are.`;
    return answer(c, problem(404, 'Not found', 'not_found', detail, null));
  });
  app.onError((error, c) => {
    const known = knownProblem(error);
    if (!known) onError(error);
    return answer(c, known ?? problem(500, 'Internal error', 'internal_error', error.message, 'read the worker’s log'));
  });
  return app;
}

function syncRoutes({ worker, control, stopping }: SyncParts): Hono {
  const app = new Hono();
  app.get('/sync', async (c) => c.json(await control.status()));
  app.post('/sync/once', async (c) => c.json(await control.once(LONGEST_CATCH_UP_MS)));
  const needsGraph: MiddlewareHandler = async (_, next) => {
    await control.opened();
    return next();
  };
  for (const path of ['/sync/reconcile', '/sync/retry-quarantined', '/cypher']) app.use(path, needsGraph);
  app.post('/sync/reconcile', async (c) => {
    const signal = AbortSignal.any([c.req.raw.signal, stopping]);
    return c.json(await worker.reconcile({ dryRun: c.req.query('dry_run') === 'true', signal }));
  });
  app.post('/sync/retry-quarantined', async (c) => c.json(await worker.retryQuarantined()));
  app.post('/cypher', async (c) => {
    const request = await c.req.json<CypherRequest>();
    return c.json(await worker.withGraph((graph) => runCypher(graph, request)));
  });
  return app;
}

function isBearer(header: string | undefined, token: string): boolean {
  const given = Buffer.from(header ?? '');
  const wanted = Buffer.from(`Bearer ${token}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

function answer(c: Context, document: WorkerProblem): Response {
  return c.body(JSON.stringify(document), document.status as 400, { 'content-type': 'application/problem+json' });
}

import { timingSafeEqual } from 'node:crypto';
import { type Context, Hono } from 'hono';
import type { SyncWorker } from '../../../lineage/index.ts';
import { type CypherRequest, runCypher } from './cypher.ts';
import { knownProblem, problem, type WorkerProblem } from './problem.ts';
import type { SyncControl } from './sync-control.ts';

type WorkerApp = {
  sync: SyncWorker;
  control: SyncControl;
  metrics: { contentType: string; metrics(): Promise<string> };
  /** Whoever shows it may ask for more than health and metrics; absent: nobody may. */
  controlToken?: string;
  /** Told of errors that nobody foresaw. */
  onError(error: unknown): void;
};

const LONGEST_CATCH_UP_MS = 10 * 60_000;

/**
 * What a process of workers answers: `/healthz` (200, or 503 with why), `/metrics`, and to the holder of the control token
 * what needs the graph this process has open.
 */
export function createWorkerApp({ sync, control, metrics, controlToken, onError }: WorkerApp): Hono {
  const app = new Hono();
  app.get('/healthz', (c) => {
    const workers = [{ name: 'sync', ...sync.status() }];
    const healthy = workers.every((worker) => worker.state !== 'stopped' && worker.degraded_by.length === 0);
    c.header('cache-control', 'no-store');
    return c.json({ status: healthy ? 'ok' : 'unwell', workers }, healthy ? 200 : 503);
  });
  app.get('/metrics', async (c) => c.body(await metrics.metrics(), 200, { 'content-type': metrics.contentType }));

  app.use('/control/*', async (c, next) => {
    if (!controlToken || !isBearer(c.req.header('authorization'), controlToken)) {
      return answer(c, problem(403, 'Not permitted', 'not_permitted', 'this needs the control token', null));
    }
    return next();
  });
  app.get('/control/sync', async (c) => c.json(await control.status()));
  app.post('/control/sync/once', async (c) => c.json(await control.once(LONGEST_CATCH_UP_MS)));
  app.post('/control/sync/reconcile', async (c) => {
    return c.json(await sync.reconcile({ dryRun: c.req.query('dry_run') === 'true', signal: c.req.raw.signal }));
  });
  app.post('/control/sync/retry-quarantined', async (c) => c.json(await sync.retryQuarantined()));
  app.post('/control/cypher', async (c) => {
    const request = await c.req.json<CypherRequest>();
    return c.json(await sync.withGraph((graph) => runCypher(graph, request)));
  });

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

function isBearer(header: string | undefined, token: string): boolean {
  const given = Buffer.from(header ?? '');
  const wanted = Buffer.from(`Bearer ${token}`);
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}

function answer(c: Context, document: WorkerProblem): Response {
  return c.body(JSON.stringify(document), document.status as 400, { 'content-type': 'application/problem+json' });
}

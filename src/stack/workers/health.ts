import { Hono } from 'hono';
import type { WorkerName } from './names.ts';

/** A worker of this process. */
export interface RunningWorker {
  name: WorkerName;
  status(): { state: string; degraded_by: readonly unknown[] };
  /** Finishes what it has in hand. */
  stop(): Promise<void>;
}

type HealthApp = {
  workers: () => readonly Pick<RunningWorker, 'name' | 'status'>[];
  metrics: { contentType: string; metrics(): Promise<string> };
};

/** What every process with workers answers: `/healthz` (200, or 503 with why) and `/metrics` (Prometheus). */
export function createHealthApp({ workers, metrics }: HealthApp): Hono {
  const app = new Hono();
  app.get('/healthz', (c) => {
    const states = workers().map(({ name, status }) => ({ name, ...status() }));
    const healthy = states.every((worker) => worker.state !== 'stopped' && worker.degraded_by.length === 0);
    c.header('cache-control', 'no-store');
    return c.json({ status: healthy ? 'ok' : 'unwell', workers: states }, healthy ? 200 : 503);
  });
  app.get('/metrics', async (c) => c.body(await metrics.metrics(), 200, { 'content-type': metrics.contentType }));
  return app;
}

import { Hono } from 'hono';
import type { SigningKeys } from './keys.ts';

type OwnApp = {
  keys: SigningKeys;
  instance: string;
  controlToken: string;
  functionNames: string[];
  database(): string;
  /** Health and metrics of the workers in this process. */
  workers: Hono;
  stop(): void;
};

/** Where a stack tells the health and metrics of the workers in its own process. */
export const WORKERS_PATH = '/.outcome-ledger/workers';

/** What the stack answers besides the functions: its keys, as Supabase Auth serves them, and who it is. */
export function createOwnApp({ keys, instance, controlToken, functionNames, database, workers, stop }: OwnApp): Hono {
  const app = new Hono();
  app.get('/auth/v1/.well-known/jwks.json', async (c) => {
    c.header('cache-control', 'no-store');
    c.header('access-control-allow-origin', '*');
    return c.json(await keys.jwks());
  });
  app.get('/.outcome-ledger', (c) => c.json({ instance, pid: process.pid, database: database() }));
  app.post('/.outcome-ledger/stop', (c) => {
    if (c.req.header('authorization') !== `Bearer ${controlToken}`) return c.json({ error: 'not_permitted' }, 403);
    // After the answer, which the stopping server would otherwise wait for.
    setImmediate(stop);
    return c.json({ stopping: true }, 202);
  });
  app.route(WORKERS_PATH, workers);
  app.notFound((c) => {
    c.header('access-control-allow-origin', '*');
    c.header('content-type', 'application/problem+json');
    const detail = `Nothing is served at ${c.req.path}. Functions: ${functionNames.join(', ')}.`;
    return c.body(
      JSON.stringify({ type: 'about:blank', title: 'Not found', status: 404, code: 'not_found', detail }),
      404,
    );
  });
  return app;
}

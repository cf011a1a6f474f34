// Supabase Storage cannot run here (it comes as a container only). This is a stand-in: a real HTTP server with the routes
// and answers of Storage that the ledger uses, as its source has them.
import { randomBytes } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { type Context, Hono } from 'hono';

export interface StorageStandIn {
  /** The project's URL. */
  readonly url: string;
  readonly key: string;
  readonly bucket: string;
  /** What was put, by `<bucket>/<key>`. */
  readonly objects: Map<string, Buffer>;
  /** What was asked, as `POST /object/<bucket>/<key>`. */
  readonly asked: string[];
  /** `away`: the connection is cut; a number: answered with that status. */
  fault: 'away' | number | null;
  stop(): Promise<void>;
}

export async function startStorageStandIn(): Promise<StorageStandIn> {
  const key = `sb_secret_${randomBytes(18).toString('base64url')}`;
  const bucket = 'artifacts';
  const objects = new Map<string, Buffer>();
  const tokens = new Map<string, string>();
  const state = { asked: [] as string[], fault: null as StorageStandIn['fault'] };
  const app = new Hono().basePath('/storage/v1');

  const keyOf = (c: Context, prefix: string) => decodeURIComponent(new URL(c.req.url).pathname.slice(prefix.length));
  const notFound = (c: Context, error: string) => c.json({ statusCode: '404', error, message: error }, 400);

  app.use(async (c, next) => {
    state.asked.push(`${c.req.method} ${new URL(c.req.url).pathname.slice('/storage/v1'.length)}`);
    if (state.fault === 'away') {
      (c.env as { incoming: { socket: { destroy(): void } } }).incoming.socket.destroy();
      return new Response(null);
    }
    if (state.fault !== null) {
      return c.text(`<html>no, ${c.req.header('apikey')}</html>`, state.fault as 503, {
        location: 'http://127.0.0.1:1/',
      });
    }
    if (c.req.method === 'GET') return next();
    // As the platform's gateway: a key that is no JWT is taken as a bearer only beside the same `apikey`.
    if (c.req.header('apikey') !== key || c.req.header('authorization') !== `Bearer ${key}`) {
      return c.json({ statusCode: '403', error: 'Unauthorized', message: 'invalid signature' }, 400);
    }
    return next();
  });
  app.post('/object/sign/*', async (c) => {
    const name = keyOf(c, '/storage/v1/object/sign/');
    const { expiresIn } = (await c.req.json()) as { expiresIn: number };
    if (!objects.has(name) || !(expiresIn > 0)) return notFound(c, 'not_found');
    const token = randomBytes(12).toString('base64url');
    tokens.set(token, name);
    return c.json({ signedURL: `/object/sign/${name}?token=${token}` });
  });
  app.get('/object/sign/*', (c) => {
    const name = keyOf(c, '/storage/v1/object/sign/');
    const bytes = objects.get(name);
    if (!bytes || tokens.get(c.req.query('token') ?? '') !== name) return notFound(c, 'InvalidJWT');
    return c.body(new Uint8Array(bytes));
  });
  app.post('/object/*', async (c) => {
    const name = keyOf(c, '/storage/v1/object/');
    if (!name.startsWith(`${bucket}/`)) return notFound(c, 'Bucket not found');
    if (objects.has(name) && c.req.header('x-upsert') !== 'true') {
      return c.json({ statusCode: '409', error: 'Duplicate', message: 'The resource already exists' }, 400);
    }
    objects.set(name, Buffer.from(await c.req.arrayBuffer()));
    return c.json({ Key: name, Id: randomBytes(8).toString('hex') });
  });

  const server = await new Promise<Server>((resolve) => {
    const made = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, () => resolve(made as Server));
  });
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    url: `http://127.0.0.1:${port}`,
    key,
    bucket,
    objects,
    async stop() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
}

// Supabase Auth itself cannot run here (it comes as a container only). This is a stand-in: a real HTTP server with
// the routes and answers of Auth that the ledger uses, as its source has them, in front of the stack's functions as a
// project's gateway is. Its tokens are signed with the stack's own key, so the ledger verifies them as it always does.
import { randomBytes, randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { serve } from '@hono/node-server';
import { type Context, Hono } from 'hono';
import { createLocalJWKSet, jwtVerify, SignJWT } from 'jose';
import { openKeys } from '../../src/stack/keys.ts';
import { AuthRefusal, AuthUsers } from './auth-users.ts';
import type { TestStack } from './stack.ts';

export interface AuthStandIn {
  /** The project's URL: `/auth/v1` is answered here, `/functions/v1` by the stack. */
  readonly url: string;
  readonly serviceRoleKey: string;
  readonly publishableKey: string;
  readonly users: AuthUsers;
  /** What was asked of Auth, as `POST /token?grant_type=password`. */
  readonly asked: string[];
  /** Seconds added to `exp`, not to `expires_in`: a negative one gives tokens that the ledger takes for ended. */
  shiftExpiry: number;
  /** `away`: the connection is cut; a number: answered with that status. */
  fault: 'away' | number | null;
  stop(): Promise<void>;
}

const LIFE_SECONDS = 3600;
const GATEWAY = { message: 'No API key found in request', hint: 'No `apikey` request header or url param was found.' };

/** Starts the stand-in for one stack. */
export async function startAuthStandIn(stack: TestStack): Promise<AuthStandIn> {
  const keys = await openKeys(path.join(stack.dataDir, 'signing-keys.json'));
  const users = new AuthUsers();
  const state = { asked: [] as string[], shiftExpiry: 0, fault: null as AuthStandIn['fault'] };
  const serviceRoleKey = `sb_secret_${randomBytes(18).toString('base64url')}`;
  const publishableKey = `sb_publishable_${randomBytes(18).toString('base64url')}`;
  const app = new Hono();

  app.onError((error, c) => {
    if (!(error instanceof AuthRefusal)) throw error;
    const { status, code, message } = error;
    const dated = c.req.header('x-supabase-api-version') === '2024-01-01';
    return c.json(dated ? { code, message } : { code: status, error_code: code, msg: message }, status as 400);
  });
  app.all('/functions/v1/*', async (c) => {
    const { pathname, search } = new URL(c.req.url);
    const { method, headers, body } = c.req.raw;
    const asIs = { method, headers, body, ...(body ? { duplex: 'half' } : {}) } as RequestInit;
    return fetch(new URL(pathname + search, stack.functionsUrl), asIs);
  });
  app.use('/auth/v1/*', async (c, next) => {
    const { pathname, search } = new URL(c.req.url);
    state.asked.push(`${c.req.method} ${pathname.slice('/auth/v1'.length)}${search}`);
    if (state.fault === 'away') return cut(c);
    if (state.fault !== null) return c.text('<html>the platform says no</html>', state.fault as 503);
    const apikey = c.req.header('apikey');
    if (apikey === undefined) return c.json(GATEWAY, 401);
    if (apikey !== serviceRoleKey && apikey !== publishableKey) return c.json({ message: 'Invalid API key' }, 401);
    return next();
  });
  app.use('/auth/v1/admin/*', async (c, next) => {
    const bearer = bearerOf(c);
    if (bearer === serviceRoleKey) return next();
    throw new AuthRefusal(403, 'not_admin', 'User not allowed');
  });

  app.get('/auth/v1/admin/users', (c) => {
    const page = Number(c.req.query('page') || 1);
    const perPage = Number(c.req.query('per_page') || 50);
    const all = [...users.users.values()].reverse();
    const last = Math.ceil(all.length / perPage);
    const link = (to: number, rel: string) => `</admin/users?page=${to}&per_page=${perPage}>; rel="${rel}"`;
    c.header('link', [...(last > page ? [link(page + 1, 'next')] : []), link(last, 'last')].join(', '));
    c.header('x-total-count', String(all.length));
    return c.json({ users: all.slice((page - 1) * perPage, page * perPage), aud: 'authenticated' });
  });
  app.post('/auth/v1/admin/users', async (c) => c.json(users.create(await c.req.json())));
  app.get('/auth/v1/admin/users/:id', (c) => c.json(users.update(c.req.param('id'), {})));
  app.put('/auth/v1/admin/users/:id', async (c) => c.json(users.update(c.req.param('id'), await c.req.json())));

  app.post('/auth/v1/token', async (c) => {
    const body = (await c.req.json()) as Record<string, string>;
    const grant = c.req.query('grant_type');
    if (grant !== 'password' && grant !== 'refresh_token') {
      return c.json({ error: 'unsupported_grant_type', error_description: '' }, 400);
    }
    const { user, session } =
      grant === 'password'
        ? users.signIn(body['email'] ?? '', body['password'] ?? '')
        : users.refresh(body['refresh_token'] ?? '');
    const now = Math.floor(Date.now() / 1000);
    const { kid, key } = await keys.current();
    const { app_metadata, user_metadata, email } = user;
    const access_token = await new SignJWT({ role: user.role, email, app_metadata, user_metadata })
      .setProtectedHeader({ alg: 'ES256', kid, typ: 'JWT' })
      .setIssuer(stack.issuer)
      .setAudience(user.aud)
      .setSubject(user.id)
      .setJti(randomUUID())
      .setIssuedAt(now)
      .setExpirationTime(now + LIFE_SECONDS + state.shiftExpiry)
      .sign(key);
    const expiry = { expires_in: LIFE_SECONDS, expires_at: now + LIFE_SECONDS };
    return c.json({ access_token, token_type: 'bearer', ...expiry, refresh_token: session.refreshToken, user });
  });
  app.post('/auth/v1/logout', async (c) => {
    const verified = await jwtVerify(bearerOf(c), createLocalJWKSet(await keys.jwks())).catch(() => {
      throw new AuthRefusal(403, 'bad_jwt', 'invalid JWT');
    });
    users.signOut(verified.payload.sub ?? '');
    return c.body(null, 204);
  });

  const server = await new Promise<Server>((resolve) => {
    const made = serve({ fetch: app.fetch, hostname: '127.0.0.1', port: 0 }, () => resolve(made as Server));
  });
  const { port } = server.address() as AddressInfo;
  return Object.assign(state, {
    url: `http://127.0.0.1:${port}`,
    serviceRoleKey,
    publishableKey,
    users,
    async stop() {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  });
}

function bearerOf(c: Context): string {
  const bearer = /^Bearer (.+)$/.exec(c.req.header('authorization') ?? '')?.[1];
  if (bearer === undefined) throw new AuthRefusal(401, 'no_authorization', 'This endpoint requires a Bearer token');
  return bearer;
}

/** The connection ends without an answer. */
function cut(c: Context): Response {
  const { incoming } = c.env as { incoming: { socket: { destroy(): void } } };
  incoming.socket.destroy();
  return new Response(null);
}

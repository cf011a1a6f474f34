// A Hono handler with nothing but the plain transaction: no token, no validation, the same driver, as many connections.
import type { AddressInfo } from 'node:net';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { Pool } from '../../src/database/pool.ts';
import { PooledConnection } from '../../src/database/pooled-connection.ts';
import type { Start } from '../ledger/envelope.ts';
import { SOURCE } from '../ledger/envelope.ts';
import { plainOutcome } from '../plain/record.ts';
import { reportReady } from './child.ts';

const { BENCH_DATABASE_URL: url = '', BENCH_TENANT_ID: tenantId = '', BENCH_CONNECTIONS: max = '8' } = process.env;
const caller = { subject: SOURCE.id, tenantId, role: 'agent', actorId: SOURCE.id };
const pool = new Pool({
  max: Number(max),
  waitMs: 5000,
  maxWaiting: 1000,
  idleMs: 60_000,
  open: () => PooledConnection.open({ url, mode: 'session', connectTimeout: 10 }),
});

type Body = { invocation_id: string; outcome: Record<string, unknown> };

const app = new Hono();
app.post('/outcomes', async (context) => {
  const { invocation_id: invocationId, outcome } = await context.req.json<Body>();
  const start = {
    invocationId,
    correlationId: outcome['correlation_id'],
    causationId: outcome['causation_id'],
  } as Start;
  const { statement, recorded } = plainOutcome(tenantId, start, outcome);
  await pool.use((connection) => connection.run(caller, statement));
  return context.json(recorded, 201);
});

const server = serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, (info: AddressInfo) => {
  reportReady({ port: info.port, path: '/outcomes', token: 'none' }, async () => {
    server.close();
    await pool.close();
  });
});

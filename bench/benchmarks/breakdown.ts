import type { Sql } from 'postgres';
import type { Statement } from '../../src/database/statement.ts';
import { type Connections, openConnections } from '../ledger/connections.ts';
import type { Start } from '../ledger/envelope.ts';
import { seedStarts, seedTenant } from '../ledger/seed.ts';
import { type BenchServer, connect, startBenchServer } from '../ledger/server.ts';
import { interleave } from '../measure/interleave.ts';
import { median } from '../measure/statistics.ts';
import { supply } from '../measure/supply.ts';
import { makePlainCopies } from '../plain/copies.ts';
import { plainRecord } from '../plain/record.ts';
import { figure, table } from '../report/table.ts';
import { governed } from './record.ts';
import { removals } from './removals.ts';

const COUNT = 400;
const ROUNDS = 5;
/** Parts below this many microseconds per recording are left out. */
const LEAST = 2;

/** What one governed recording costs, part by part, in microseconds, on one connection. */
export async function breakdown(): Promise<string> {
  const steps = await withServer({}, async (scene, server) => `${await stepTable(scene)}\n\n${await removals(server)}`);
  const parts = await withServer(
    {
      shared_preload_libraries: 'pg_stat_statements',
      'pg_stat_statements.track': 'all',
      'pg_stat_statements.track_planning': 'on',
      track_functions: 'all',
    },
    partTables,
  );
  return `${steps}\n\n${parts}`;
}

type Scene = { admin: Sql; tenantId: string; starts: Start[]; connections: Connections };

async function withServer(
  settings: Record<string, string>,
  work: (scene: Scene, server: BenchServer) => Promise<string>,
): Promise<string> {
  const server: BenchServer = await startBenchServer(settings);
  try {
    const { urlAs } = await server.database('bench_breakdown');
    const admin = connect(urlAs('supabase_admin'), 2);
    const tenantId = await seedTenant(admin);
    await makePlainCopies(admin);
    const starts = await seedStarts(admin, tenantId, COUNT * (ROUNDS + 1), { twin: 'plain' });
    await admin.unsafe('vacuum analyze');
    const connections = await openConnections(urlAs('ledger_gateway'), tenantId, 1);
    const text = await work({ admin, tenantId, starts, connections }, server);
    await connections.close();
    await admin.end();
    return text;
  } finally {
    await server.stop();
  }
}

async function stepTable({ tenantId, starts, connections }: Scene): Promise<string> {
  const side = (name: string, statement: (start: Start) => Statement) => {
    const next = supply(starts, COUNT);
    const slice = async () => {
      const mine = next();
      for (const start of mine) await connections.run(0, statement(start));
      return mine.length;
    };
    return { name, pids: connections.pids, slice };
  };
  const rates = await interleave(
    [
      side('an empty transaction (begin, role and claims, `select`, commit)', () => ({
        text: 'select $1::text as answer',
        values: [''],
      })),
      side('the same with one row written, so that commit waits for the disk', () => ({
        text: "insert into plain.outcome_ids values (gen_random_uuid(), $1::text::uuid, 'agent')",
        values: [tenantId],
      })),
      side('plain recording', (start) => plainRecord(tenantId, start)),
      side('governed recording', (start) => governed(tenantId, [start])),
    ],
    { rounds: ROUNDS },
  );
  return table([
    ['step', 'µs, whole round trip', 'µs of the server'],
    ...rates.map((r) => [r.name, figure(1e6 / median(r.rates)), figure(median(r.processor))]),
  ]);
}

async function partTables({ admin, tenantId, starts, connections }: Scene): Promise<string> {
  await admin.unsafe('create extension pg_stat_statements');
  const run = async (from: number, to: number) => {
    for (const start of starts.slice(from, to)) await connections.run(0, governed(tenantId, [start]));
  };
  await run(0, COUNT);
  await admin.unsafe('select pg_stat_statements_reset(), pg_stat_reset()');
  await run(COUNT, starts.length);
  await admin.unsafe('select pg_stat_force_next_flush()');
  await connections.run(0, { text: 'select pg_stat_force_next_flush()::text as answer', values: [] });
  const count = starts.length - COUNT;
  const functions = await admin<{ name: string; calls: number; total: number; self: number }[]>`
    select schemaname || '.' || funcname as name, calls::float8 / ${count} as calls, total_time * 1000 / ${count} as total, self_time * 1000 / ${count} as self
      from pg_stat_user_functions order by self_time desc`;
  const statements = await admin<{ query: string; calls: number; total: number; plans: number; planning: number }[]>`
    select regexp_replace(query, '\\s+', ' ', 'g') as query, calls::float8 / ${count} as calls, total_exec_time * 1000 / ${count} as total,
           plans::float8 / ${count} as plans, total_plan_time * 1000 / ${count} as planning
      from pg_stat_statements where query !~ 'pg_stat' order by total_exec_time + total_plan_time desc limit 40`;
  const functionRows = functions
    .filter((f) => f.self >= LEAST)
    .map((f) => [`\`${f.name}\``, figure(f.calls), figure(f.total), figure(f.self)]);
  const statementRows = statements
    .filter((s) => s.total >= LEAST)
    .map((s) => [
      `\`${s.query.replaceAll('|', '\\|').slice(0, 110)}\``,
      figure(s.calls),
      figure(s.total),
      figure(s.plans),
      figure(s.planning),
    ]);
  return [
    table([['function, per recording', 'calls', 'µs with what it calls', 'µs of its own'], ...functionRows]),
    table([
      ['statement, nested ones too, per recording', 'calls', 'µs with what it calls', 'plans', 'µs planning'],
      ...statementRows,
    ]),
  ].join('\n\n');
}

import { callOf, jsonb, type Statement, uuid } from '../../src/database/statement.ts';
import { type Connections, openConnections } from '../ledger/connections.ts';
import { envelopeOf, type Start } from '../ledger/envelope.ts';
import { seedStarts, seedTenant } from '../ledger/seed.ts';
import { connect, startBenchServer } from '../ledger/server.ts';
import { interleave, together } from '../measure/interleave.ts';
import { supply } from '../measure/supply.ts';
import { makePlainCopies } from '../plain/copies.ts';
import { plainBatch, plainRecord } from '../plain/record.ts';
import { requireSameRows } from '../plain/same-rows.ts';
import { type Comparison, comparisonTable } from '../report/comparison.ts';

type Case = { what: string; connections: number; batch: number; perSlice: number; rounds: number; bar: number };

const CASES: readonly Case[] = [
  { what: '1 connection', connections: 1, batch: 1, perSlice: 400, rounds: 15, bar: 0.65 },
  { what: '8 connections', connections: 8, batch: 1, perSlice: 1200, rounds: 15, bar: 0.6 },
  { what: 'batch of 100, 1 connection', connections: 1, batch: 100, perSlice: 3000, rounds: 9, bar: 0.5 },
  { what: 'batch of 100, 8 connections', connections: 8, batch: 100, perSlice: 6400, rounds: 9, bar: 0.5 },
];

/** Governed recording against plain inserts of the same rows, through the same driver and round trip. */
export async function record(): Promise<string> {
  const server = await startBenchServer();
  try {
    const { urlAs } = await server.database('bench_record');
    const admin = connect(urlAs('supabase_admin'), 2);
    const tenantId = await seedTenant(admin);
    await makePlainCopies(admin);
    const results: Comparison[] = [];
    for (const test of CASES) {
      const starts = await seedStarts(admin, tenantId, test.perSlice * (test.rounds + 1), { twin: 'plain' });
      await admin.unsafe('vacuum analyze');
      await admin.unsafe('checkpoint');
      const connections = await openConnections(urlAs('ledger_gateway'), tenantId, test.connections);
      const side = (name: string, statement: (tenantId: string, starts: Start[]) => Statement) => ({
        name,
        pids: connections.pids,
        slice: slicer(test, connections, tenantId, starts, statement),
      });
      const [theirs, ours] = await interleave([side('plain', plain), side('governed', governed)], test);
      await connections.close();
      if (theirs && ours) results.push({ what: test.what, theirs, ours, bar: test.bar });
    }
    await requireSameRows(admin);
    await admin.end();
    return comparisonTable('plain', 'governed', results);
  } finally {
    await server.stop();
  }
}

function slicer(
  test: Case,
  connections: Connections,
  tenantId: string,
  starts: readonly Start[],
  statement: (tenantId: string, starts: Start[]) => Statement,
) {
  const next = supply(starts, test.perSlice);
  return async () => {
    const mine = next();
    await together(test.connections, mine.length / test.batch, (index, worker) =>
      connections.run(worker, statement(tenantId, mine.slice(index * test.batch, (index + 1) * test.batch))),
    );
    return mine.length;
  };
}

function plain(tenantId: string, starts: Start[]): Statement {
  const [first] = starts;
  return first && starts.length === 1 ? plainRecord(tenantId, first) : plainBatch(tenantId, starts);
}

/** The statement that records one start, or a batch of them, under governance. */
export function governed(_tenantId: string, starts: Start[]): Statement {
  const [first] = starts;
  if (first && starts.length === 1) {
    return callOf('record_agent_outcome', [uuid(first.invocationId), jsonb(envelopeOf(first)), jsonb(null)]);
  }
  const items = starts.map((start) => ({ invocation_id: start.invocationId, outcome: envelopeOf(start) }));
  return callOf('record_outcomes', [jsonb(items)]);
}

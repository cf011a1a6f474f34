import { callOf, jsonb, type Statement, uuid } from '../../src/database/statement.ts';
import { ARTIFACTS, DIGEST, REPORT, RESULT } from '../ledger/conclusion.ts';
import { type Connections, openConnections } from '../ledger/connections.ts';
import type { Start } from '../ledger/envelope.ts';
import { seedStarts, seedTenant } from '../ledger/seed.ts';
import { connect, startBenchServer } from '../ledger/server.ts';
import { interleave, together } from '../measure/interleave.ts';
import { supply } from '../measure/supply.ts';
import { plainConclusion } from '../plain/conclude.ts';
import { makePlainCopies } from '../plain/copies.ts';
import { requireSameRows } from '../plain/same-rows.ts';
import { type Comparison, comparisonTable } from '../report/comparison.ts';

type Case = { what: string; connections: number; perSlice: number; rounds: number; bar: number };

const CASES: readonly Case[] = [
  { what: '1 connection', connections: 1, perSlice: 40, rounds: 15, bar: 0.5 },
  { what: '8 connections', connections: 8, perSlice: 80, rounds: 15, bar: 0.5 },
];

/** Concluding with twenty files of 10 kB, against a plain transaction that inserts the same rows. */
export async function conclude(): Promise<string> {
  const server = await startBenchServer();
  try {
    const { urlAs } = await server.database('bench_conclude');
    const admin = connect(urlAs('supabase_admin'), 2);
    const tenantId = await seedTenant(admin);
    await makePlainCopies(admin);
    const results: Comparison[] = [];
    for (const test of CASES) {
      const starts = await seedStarts(admin, tenantId, test.perSlice * (test.rounds + 1), { twin: 'plain' });
      await admin.unsafe('vacuum analyze');
      await admin.unsafe('checkpoint');
      const connections = await openConnections(urlAs('ledger_gateway'), tenantId, test.connections, 'orchestrator');
      const side = (name: string, statement: (start: Start) => Statement) => ({
        name,
        pids: connections.pids,
        slice: slicer(test, connections, starts, statement),
      });
      const plain = side('plain', (start) => plainConclusion(tenantId, start));
      const [theirs, ours] = await interleave([plain, side('conclude', concluded)], test);
      await connections.close();
      if (theirs && ours) results.push({ what: test.what, theirs, ours, bar: test.bar });
    }
    await requireSameRows(admin, ['phase_reports', 'artifacts']);
    await admin.end();
    return comparisonTable('plain', 'conclude', results);
  } finally {
    await server.stop();
  }
}

function slicer(
  test: Case,
  connections: Connections,
  starts: readonly Start[],
  statement: (start: Start) => Statement,
): () => Promise<number> {
  const next = supply(starts, test.perSlice);
  return async () => {
    const mine = next();
    await together(test.connections, mine.length, (index, worker) =>
      connections.run(worker, statement(mine[index] as Start)),
    );
    return mine.length;
  };
}

function concluded(start: Start): Statement {
  const conclusion = {
    digest: DIGEST,
    report: REPORT,
    artifacts: ARTIFACTS.map(({ sha256, size_bytes, ...artifact }) => artifact),
    result: RESULT,
    quality: null,
    timing: null,
    checked_schemas: null,
  };
  return callOf('conclude_invocation', [uuid(start.invocationId), jsonb(conclusion)]);
}

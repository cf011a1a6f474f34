import { callOf, jsonb, type Statement, uuid } from '../../src/database/statement.ts';
import { type Connections, openConnections } from '../ledger/connections.ts';
import { envelopeOf, type Start } from '../ledger/envelope.ts';
import { seedStarts, seedTenant } from '../ledger/seed.ts';
import { connect, startBenchServer } from '../ledger/server.ts';
import { interleave, together } from '../measure/interleave.ts';
import { supply } from '../measure/supply.ts';
import { type Comparison, comparisonTable } from '../report/comparison.ts';
import { governed } from './record.ts';

type Case = { what: string; connections: number; perSlice: number; rounds: number; bar: number };

const CASES: readonly Case[] = [
  { what: '1 connection', connections: 1, perSlice: 300, rounds: 15, bar: 0.85 },
  { what: '8 connections', connections: 8, perSlice: 800, rounds: 15, bar: 0.85 },
];
/** As the guard decides, and as the envelope repeats it. */
const POLICY = {
  decision: 'allow',
  policy_rule_triggered: null,
  risk_score: 0.08,
  requires_hitl: false,
  evaluated_at: '2026-05-20T10:00:00.000Z',
};

/** Recording what a guard has decided about, so that the decision is looked up, compared and linked, against recording without. */
export async function decided(): Promise<string> {
  const server = await startBenchServer();
  try {
    const { urlAs } = await server.database('bench_decided');
    const admin = connect(urlAs('supabase_admin'), 2);
    const tenantId = await seedTenant(admin);
    const results: Comparison[] = [];
    for (const test of CASES) {
      const [without, withOne] = await Promise.all(
        [1, 2].map(() => seedStarts(admin, tenantId, test.perSlice * (test.rounds + 1))),
      );
      const guard = await openConnections(urlAs('ledger_gateway'), tenantId, 8, 'policy_guard');
      await together(8, withOne?.length ?? 0, (index, worker) => guard.run(worker, decision(withOne?.[index])));
      await guard.close();
      await admin.unsafe('vacuum analyze');
      await admin.unsafe('checkpoint');
      const connections = await openConnections(urlAs('ledger_gateway'), tenantId, test.connections);
      const side = (name: string, starts: readonly Start[] | undefined, statement: (start: Start) => Statement) => ({
        name,
        pids: connections.pids,
        slice: slicer(test, connections, starts ?? [], statement),
      });
      const [theirs, ours] = await interleave(
        [side('without', without, (start) => governed(tenantId, [start])), side('with', withOne, recordDecided)],
        test,
      );
      await connections.close();
      if (theirs && ours) results.push({ what: test.what, theirs, ours, bar: test.bar });
    }
    await admin.end();
    return comparisonTable('without', 'with a decision', results);
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

function decision(start: Start | undefined): Statement {
  return callOf('record_policy_decision', [jsonb({ ...POLICY, invocation_id: start?.invocationId })]);
}

function recordDecided(start: Start): Statement {
  const envelope = { ...envelopeOf(start), policy: POLICY };
  return callOf('record_agent_outcome', [uuid(start.invocationId), jsonb(envelope), jsonb(null)]);
}

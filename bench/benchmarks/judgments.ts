import type { Statement } from '../../src/database/statement.ts';
import { callOf, jsonb } from '../../src/database/statement.ts';
import { writeHistory } from '../../test/support/history.ts';
import { openConnections } from '../ledger/connections.ts';
import { connect, startBenchServer } from '../ledger/server.ts';
import { interleave } from '../measure/interleave.ts';
import { type Comparison, comparisonTable } from '../report/comparison.ts';

const ROUNDS = 7;
const SINCE = '2026-01-01T00:00:00Z';
/** The tables alone, by the same window: what statistics cannot do without. */
const COUNT: Statement = {
  text: `select (select count(*) from public.agent_invocation_outcomes where recorded_at >= '${SINCE}')
              + (select count(*) from public.workflow_outcomes where recorded_at >= '${SINCE}') as answer`,
  values: [],
};
const STATISTICS = callOf('judgment_statistics', [jsonb({ from: SINCE })]);
const DAY = "recorded_at >= '2026-02-10T00:00:00Z' and recorded_at < '2026-02-11T00:00:00Z'";
const PLAIN_DAY: Statement = {
  text: `select count(*) as answer from public.agent_invocation_outcomes where source_id = 'agent-3' and ${DAY}`,
  values: [],
};
const JUDGED_DAY: Statement = {
  text: `select count(*) filter (where counts_as_success) as answer from public.outcome_judgments where source_id = 'agent-3' and ${DAY}`,
  values: [],
};

/** Statistics over a million outcomes, a third of them verified, against a plain count of the same rows. */
export async function judgments(): Promise<string> {
  const server = await startBenchServer();
  try {
    const { urlAs } = await server.database('bench_judgments');
    const admin = connect(urlAs('supabase_admin'), 2);
    const { tenantId } = await writeHistory(admin);
    await admin.unsafe('vacuum analyze');
    const connections = await openConnections(urlAs('ledger_gateway'), tenantId, 1, 'orchestrator');
    const side = (name: string, statement: Statement, times: number) => ({
      name,
      pids: connections.pids,
      async slice() {
        for (let n = 0; n < times; n += 1) await connections.run(0, statement);
        return times;
      },
    });
    const compare = async (what: string, plain: Statement, ours: Statement, times: number, bar?: number) => {
      const [theirs, mine] = await interleave([side('count', plain, times), side('judged', ours, times)], {
        rounds: ROUNDS,
      });
      return { what, theirs, ours: mine, bar } as Comparison;
    };
    const results = [
      await compare('statistics of all of them', COUNT, STATISTICS, 1, 1 / 3),
      await compare("one agent's day through the view", PLAIN_DAY, JUDGED_DAY, 20),
    ];
    await connections.close();
    await admin.end();
    return comparisonTable('count', 'judged', results);
  } finally {
    await server.stop();
  }
}

import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { LOGIN_ROLES } from '../../src/stack/role-passwords.ts';
import { writeSecrets } from '../../src/stack/secrets.ts';
import { startChild } from '../http/child.ts';
import { envelopeOf, type Start } from '../ledger/envelope.ts';
import { seedStarts, seedTenant } from '../ledger/seed.ts';
import { connect, PASSWORD, startBenchServer } from '../ledger/server.ts';
import { type Contender, interleave, together } from '../measure/interleave.ts';
import { KeepAlive } from '../measure/keep-alive.ts';
import { supply } from '../measure/supply.ts';
import { makePlainCopies } from '../plain/copies.ts';
import { requireSameRows } from '../plain/same-rows.ts';
import { type Comparison, comparisonTable } from '../report/comparison.ts';

const CASES = [
  { what: '1 client', clients: 1, perSlice: 300, rounds: 11, bar: 0.5 },
  { what: '16 clients', clients: 16, perSlice: 1200, rounds: 15, bar: 0.5 },
] as const;

/** POST /outcomes over loopback against a bare handler that runs the plain transaction. */
export async function http(): Promise<string> {
  const server = await startBenchServer();
  const folder = await mkdtemp(path.join(os.tmpdir(), 'outcome-ledger-bench-'));
  const closing: (() => Promise<unknown>)[] = [() => server.stop(), () => rm(folder, { recursive: true, force: true })];
  try {
    await chmod(folder, 0o700);
    await writeSecrets(folder, Object.fromEntries(LOGIN_ROLES.map((role) => [role, PASSWORD])));
    const { urlAs } = await server.database('bench_http');
    const admin = connect(urlAs('supabase_admin'), 2);
    closing.unshift(() => admin.end());
    const tenantId = await seedTenant(admin);
    await makePlainCopies(admin);

    const common = { BENCH_TENANT_ID: tenantId, BENCH_CONNECTIONS: '8' };
    const bare = await startChild('bare-server.ts', { ...common, BENCH_DATABASE_URL: urlAs('ledger_gateway') });
    closing.unshift(() => bare.stop());
    const governed = await startChild('governed-server.ts', {
      ...common,
      BENCH_DATABASE_URL: urlAs('postgres'),
      BENCH_DATA_DIR: folder,
    });
    closing.unshift(() => governed.stop());

    const results: Comparison[] = [];
    for (const test of CASES) {
      const starts = await seedStarts(admin, tenantId, test.perSlice * (test.rounds + 1), { twin: 'plain' });
      await admin.unsafe('vacuum analyze');
      await admin.unsafe('checkpoint');
      const sides = [sideOf('bare', bare, test, starts), sideOf('whole path', governed, test, starts)];
      const [theirs, ours] = await interleave(sides, test);
      if (theirs && ours) results.push({ what: test.what, theirs, ours, bar: test.bar });
    }
    await requireSameRows(admin);
    return comparisonTable('bare handler', 'whole path', results, 'process µs each');
  } finally {
    for (const close of closing) await close();
  }
}

function sideOf(
  name: string,
  server: Awaited<ReturnType<typeof startChild>>,
  test: (typeof CASES)[number],
  starts: readonly Start[],
): Contender {
  const { port, path: target, token } = server.ready;
  const next = supply(starts, test.perSlice);
  return {
    name,
    pids: [server.pid],
    async slice() {
      const mine = next();
      // For each slice anew: a server closes what has been idle for five seconds, as while the other side had its turn.
      const clients = await Promise.all(Array.from({ length: test.clients }, () => KeepAlive.open(port)));
      await together(test.clients, mine.length, async (index, worker) => {
        const start = mine[index];
        if (!start) return;
        const body = JSON.stringify({ invocation_id: start.invocationId, outcome: envelopeOf(start) });
        const answer = await clients[worker]?.post(target, token, body);
        if (answer?.status !== 201) throw new Error(`${name} answered ${answer?.status}: ${answer?.body}`);
      });
      for (const client of clients) client.close();
      return mine.length;
    },
  };
}

import { openConnections } from '../ledger/connections.ts';
import { removeFunction } from '../ledger/removal.ts';
import { seedStarts, seedTenant } from '../ledger/seed.ts';
import { type BenchServer, connect } from '../ledger/server.ts';
import { type Contender, interleave, type Rates } from '../measure/interleave.ts';
import { median } from '../measure/statistics.ts';
import { supply } from '../measure/supply.ts';
import { makePlainCopies } from '../plain/copies.ts';
import { plainRecord } from '../plain/record.ts';
import { figure, table } from '../report/table.ts';
import { governed } from './record.ts';

const COUNT = 200;
const ROUNDS = 11;
const OUTCOMES = 'alter table public.agent_invocation_outcomes';

/** A part of a recording, and how it is taken out: by emptying functions, or by statements of its own. */
type Part = { what: string; functions?: readonly string[]; statement?: string };

const PARTS: readonly Part[] = [
  { what: 'row-level security', statement: `${OUTCOMES} disable row level security` },
  { what: "the envelope's rules", functions: ['envelope_ok'] },
  { what: 'the role matrix, asked by the trigger', functions: ['may_write'] },
  { what: 'absent members filled in', functions: ['normalise_envelope'] },
  {
    what: 'publishing: id, event, link, end of the open work',
    functions: ['publish_outcome'],
    // Without publishing an outcome's id is claimed nowhere.
    statement: `${OUTCOMES} drop constraint agent_invocation_outcomes_outcome_id_tenant_id_source_type_fkey`,
  },
];

/** What each part of a recording costs the server: the processor time that is saved where the part is taken out. */
export async function removals(server: BenchServer): Promise<string> {
  const scenes = [await openScene(server, 'plain'), await openScene(server, 'whole')];
  for (const part of PARTS) scenes.push(await openScene(server, part.what, part));
  const [plain, whole, ...without] = await interleave(scenes, { rounds: ROUNDS });
  for (const scene of scenes) await scene.close();
  if (!plain || !whole) throw new Error('nothing was measured');
  return table([
    ['part of a recording', 'server µs'],
    ['plain recording', figure(median(plain.processor))],
    ['governed recording', figure(median(whole.processor))],
    ...without.map((rates) => [`of it: ${rates.name}`, figure(saved(whole, rates))]),
  ]);
}

let databases = 0;

async function openScene(
  server: BenchServer,
  name: string,
  part?: Part,
): Promise<Contender & { close(): Promise<void> }> {
  databases += 1;
  const { urlAs } = await server.database(`bench_part_${databases}`);
  const admin = connect(urlAs('supabase_admin'), 1);
  const tenantId = await seedTenant(admin);
  await makePlainCopies(admin);
  const next = supply(await seedStarts(admin, tenantId, COUNT * (ROUNDS + 1), { causes: 100, twin: 'plain' }), COUNT);
  for (const removed of part?.functions ?? []) await removeFunction(admin, removed);
  if (part?.statement) await admin.unsafe(part.statement);
  await admin.unsafe('vacuum analyze');
  const connections = await openConnections(urlAs('ledger_gateway'), tenantId, 1);
  return {
    name,
    pids: connections.pids,
    async slice() {
      const starts = next();
      for (const start of starts) {
        await connections.run(0, name === 'plain' ? plainRecord(tenantId, start) : governed(tenantId, [start]));
      }
      return starts.length;
    },
    async close() {
      await connections.close();
      await admin.end();
    },
  };
}

function saved(full: Rates, without: Rates): number {
  return median(full.processor.map((time, round) => time - (without.processor[round] ?? Number.NaN)));
}

import type { Sql } from 'postgres';
import { envelopeOf } from '../ledger/envelope.ts';
import { seedStarts, seedTenant } from '../ledger/seed.ts';
import { type BenchServer, connect, startBenchServer } from '../ledger/server.ts';
import { type Contender, interleave, type Rates } from '../measure/interleave.ts';
import { dbos } from '../peers/dbos.ts';
import { emmett } from '../peers/emmett.ts';
import { ledgerRecording, ledgerRun } from '../peers/ledger.ts';
import { messageDb } from '../peers/message-db.ts';
import { type Comparison, comparisonTable } from '../report/comparison.ts';

const DATA = envelopeOf({ invocationId: '', correlationId: 'corr-000123', causationId: 'event-000123' });
const WORKFLOWS = { callers: 16, perSlice: 320, rounds: 11 };
const APPENDS = { callers: 8, perSlice: 800, rounds: 11 };

type Closing = Contender & { close(): Promise<void> };

/** The ledger beside systems that do a part of its job, on the same server, with the same payload. */
export async function peers(): Promise<string> {
  const server = await startBenchServer();
  try {
    const ledger = await server.database('bench_peers');
    const admin = connect(ledger.urlAs('supabase_admin'), 2);
    const tenantId = await seedTenant(admin);
    const place = { url: ledger.urlAs('ledger_gateway'), tenantId };
    const comparisons = [
      ...(await againstWorkflows(server, admin, place)),
      ...(await againstStores(server, admin, place)),
    ];
    await admin.end();
    return comparisonTable('peer', 'ledger', comparisons);
  } finally {
    await server.stop();
  }
}

type Place = { url: string; tenantId: string };

async function againstWorkflows(server: BenchServer, admin: Sql, place: Place): Promise<Comparison[]> {
  const url = (await server.database('bench_dbos', { empty: true })).urlAs('supabase_admin');
  const starts = await seedStarts(admin, place.tenantId, WORKFLOWS.perSlice * (WORKFLOWS.rounds + 1));
  await admin.unsafe('vacuum analyze');
  const [theirs, ours, both] = await measured(
    [
      await dbos(url, { ...WORKFLOWS, data: DATA }),
      await ledgerRecording({ ...place, ...WORKFLOWS, starts }),
      await ledgerRun({ ...place, ...WORKFLOWS, starts }),
    ],
    WORKFLOWS.rounds,
  );
  if (!theirs || !ours || !both) return [];
  return [
    { what: 'DBOS, one-step workflow; 16 callers; ours: the terminal record', theirs, ours, bar: 4, times: true },
    { what: 'the same; ours: start and terminal record, two commits', theirs, ours: both, times: true },
  ];
}

async function againstStores(server: BenchServer, admin: Sql, place: Place): Promise<Comparison[]> {
  const database = async (name: string) => (await server.database(name, { empty: true })).urlAs('supabase_admin');
  const starts = await seedStarts(admin, place.tenantId, APPENDS.perSlice * (APPENDS.rounds + 1));
  await admin.unsafe('vacuum analyze');
  const [emmetts, oneCategory, categories, ours] = await measured(
    [
      await emmett(await database('bench_emmett'), { ...APPENDS, data: DATA }),
      await messageDb(await database('bench_message_db'), { ...APPENDS, data: DATA, categories: 1 }),
      await messageDb(await database('bench_message_db_64'), { ...APPENDS, data: DATA, categories: 64 }),
      await ledgerRecording({ ...place, ...APPENDS, starts }),
    ],
    APPENDS.rounds,
  );
  if (!emmetts || !oneCategory || !categories || !ours) return [];
  return [
    { what: 'emmett, one event to a new stream; 8 connections', theirs: emmetts, ours, bar: 1, times: true },
    {
      what: 'message-db, `write_message`, all in one category; 8 connections',
      theirs: oneCategory,
      ours,
      bar: 1,
      times: true,
    },
    { what: 'message-db, over 64 categories; 8 connections', theirs: categories, ours, bar: 1, times: true },
  ];
}

async function measured(contenders: readonly Closing[], rounds: number): Promise<Rates[]> {
  const rates = await interleave(contenders, { rounds });
  for (const contender of contenders) await contender.close();
  return rates;
}

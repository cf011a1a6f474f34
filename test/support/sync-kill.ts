import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, inject, it, onTestFinished } from 'vitest';
import { type GraphSource, reconcile } from '../../lineage/index.ts';
import { jsonb } from '../../src/database/statement.ts';
import { graphContents } from './compare-graph.ts';
import { openTransaction } from './crowd.ts';
import type { TestDatabase } from './database.ts';
import { type Document, envelopeFor, invocationStart } from './envelopes.ts';
import { escalate, evidenceIn } from './evidence.ts';
import { randomFrom } from './random.ts';
import { callIn, idOf, ORCHESTRATOR, recordIn, type SqlLedger, sqlLedger } from './sql-ledger.ts';
import { mirrorOf, recordChain, startWorker, until, untilEqual } from './sync.ts';

/** What `sync-process.ts` is told. */
export interface SyncProcessOrder {
  url: string;
  tenantId: string;
  /** Moves the position first and apart from the rows, to show what is lost then. */
  torn?: boolean;
  graph:
    | { kind: 'embedded'; directory: string }
    | { kind: 'neo4j'; uri: string; user?: string; password?: string; database?: string };
}

/** A graph to be mirrored into by a process that is killed. */
export interface KilledGraph {
  source: GraphSource;
  order: SyncProcessOrder['graph'];
}

export interface Kills {
  /** How often the process is killed; each time at another moment. */
  rounds: number;
  seed: number;
  /** `stop` lets it finish its batch. */
  end: 'SIGKILL' | 'stop';
  /** Instead of the process: what is restarted, e.g. the graph's server. */
  instead?: (random: () => number) => Promise<void>;
}

const WRITERS = 4;

/** What a kill costs where the position does not move with the rows: the process is killed between the two. */
export function itWouldLoseRows(database: TestDatabase, graph: (tenantId: string) => Promise<KilledGraph>): void {
  it('would lose rows, were the position moved in a transaction of its own', async () => {
    const tenantId = await database.tenant();
    const ids = await recordChain(sqlLedger(database, { tenantId, ...ORCHESTRATOR }), 3);
    const { source, order } = await graph(tenantId);
    const start = await processStarter({ url: database.urlAs('ledger_sync'), tenantId, graph: order, torn: true });
    const torn = start();
    await until(() => torn.said({ torn: true }));
    await torn.end('SIGKILL');
    const worker = startWorker(mirrorOf(database, source));
    await worker.until(({ lag, last_pass_at }) => last_pass_at !== null && lag?.rows === 0);
    expect(ids.length - (await worker.withGraph(graphContents)).outcomes.size).toBeGreaterThan(0);
  });
}

/** Kills a worker's process at random moments while writers write and one transaction stalls; then the graph equals the database. */
export async function throughKills(
  database: TestDatabase,
  graph: (tenantId: string) => Promise<KilledGraph>,
  kills: Kills,
): Promise<void> {
  const random = randomFrom(kills.seed);
  const tenantId = await database.tenant();
  const ledger = sqlLedger(database, { tenantId, ...ORCHESTRATOR });
  const { source, order } = await graph(tenantId);
  const start = await processStarter({ url: database.urlAs('ledger_sync'), tenantId, graph: order });
  const writing = startWriters(database, ledger, kills);
  onTestFinished(() => writing.end());

  let process = start();
  let mirrored = 0;
  for (let round = 0; round < kills.rounds; round += 1) {
    // Mostly while it writes, some rows or batches in; sometimes while it starts.
    const [starting, rows, moment] = [random() < 0.2, 1 + Math.floor(random() * 60), random()];
    const before = kills.instead ? process.rows() : 0;
    if (!starting) await until(() => process.rows() >= before + rows, Boolean, 60_000);
    await sleep(moment * (starting ? 400 : 60));
    if (kills.instead) {
      await kills.instead(random);
      continue;
    }
    mirrored += Math.max(0, process.rows());
    await process.end(kills.end);
    process = start();
  }
  await writing.end();
  await until(() => process.rows() > 0, Boolean, 60_000);
  mirrored += process.rows();
  // The last one dies too: what it leaves is opened by another.
  await process.end('SIGKILL');
  const worker = startWorker(mirrorOf(database, source));
  await untilEqual(database, worker, tenantId, 120_000);
  expect(worker.status()).toMatchObject({ rows_parked: 0, quarantined: 0 });
  await worker.stop();
  expect(mirrored).toBeGreaterThan(100);
  const clean = { missing: 0, different: 0, surplus: 0 };
  expect(await reconcile(mirrorOf(database, source))).toMatchObject({ outcomes: clean, links: clean, repaired: 0 });
}

export function itSurvives(
  database: TestDatabase,
  graph: (tenantId: string) => Promise<KilledGraph>,
  kills: Kills,
): void {
  const what = kills.instead ? 'the graph restarted' : `the worker ended by ${kills.end}`;
  it(
    `${what}, ${kills.rounds} times (seed ${kills.seed}): graph equals database, nothing doubled`,
    () => throughKills(database, graph, kills),
    180_000 + kills.rounds * 60_000,
  );
}

/** Starts processes of one order; their script is built once in a run. */
async function processStarter(order: SyncProcessOrder) {
  const response = await fetch(new URL('/sync-process', inject('sharedServerUrl')));
  if (!response.ok) throw new Error(`the worker's script was not built: ${await response.text()}`);
  const { script } = (await response.json()) as { script: string };
  return () => startProcess(script, order);
}

function startProcess(script: string, order: SyncProcessOrder) {
  const child: ChildProcess = spawn(globalThis.process.execPath, [script], {
    env: { ...globalThis.process.env, SYNC_ORDER: JSON.stringify(order) },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await exited;
  });
  let rows = -1;
  const said: string[] = [];
  createInterface({ input: child.stdout as NodeJS.ReadableStream }).on('line', (line) => {
    const entry = JSON.parse(line) as { rows?: number; level?: string };
    if (entry.rows !== undefined) rows = entry.rows;
    else if (entry.level !== 'info') said.push(line);
  });
  return {
    said: (entry: object) => said.includes(JSON.stringify(entry)),
    /** Rows it has written; -1 before it said anything. */
    rows(): number {
      if (child.exitCode !== null) throw new Error(`the worker ended with ${child.exitCode}: ${said.join('\n')}`);
      return rows;
    },
    async end(how: Kills['end']): Promise<void> {
      if (how === 'stop') child.send('stop');
      else child.kill(how);
      expect(await exited).toEqual(how === 'stop' ? [0, null] : [null, how]);
    },
  };
}

/** Writers that record trees of causes within executions, and one whose transaction stalls, until they are told to end. */
function startWriters(database: TestDatabase, ledger: SqlLedger, { seed, instead }: Kills) {
  const ending = new AbortController();
  const moment = (ms: number) => sleep(ms, undefined, { signal: ending.signal }).catch(() => undefined);
  // Fewer where a server takes seconds to come back: what they write meanwhile has to be compared in the end.
  const writers = instead ? 1 : WRITERS;
  const evidence = evidenceIn(database, ledger.tenantId as string);
  /** Some are escalated, and some of those answered. */
  const end = async (start: Document, random: () => number) => {
    if (random() >= 0.15) return ledger.end(start);
    const { id, request } = await escalate(ledger, start);
    if (random() < 0.5) await evidence.answer(request);
    return id;
  };
  /** What others say of an outcome, in several rows of which the last counts. */
  const observe = async (id: string, random: () => number) => {
    const dice = random();
    if (dice < 0.3) await evidence.verify(id, 'failed');
    if (dice < 0.2) await evidence.verify(id, 'passed');
    if (dice < 0.1) await evidence.assess(id, 'hollow');
    if (dice > 0.9) await evidence.integrate(id).catch(() => undefined);
  };
  const writer = async (random: () => number) => {
    while (!ending.signal.aborted) {
      const execution = await ledger.startExecution();
      const starts: Document[] = [];
      for (let n = 0; n < 5; n += 1) {
        const cause = starts[Math.floor(random() * starts.length)];
        starts.push(
          await ledger.start({ execution_id: idOf(execution), ...(cause ? { causation_id: idOf(cause) } : {}) }),
        );
      }
      for (const start of starts) await observe(await end(start, random), random);
      await observe(await ledger.end(execution), random);
      await moment(random() * 200);
    }
  };
  const stalling = async (random: () => number) => {
    while (!ending.signal.aborted) {
      const slow = await openTransaction(database, ledger.caller);
      const start = invocationStart();
      await callIn(slow.sql, 'start_invocation', jsonb(start));
      await recordIn(slow.sql, start, envelopeFor(start));
      const [patience, commits] = [random() * 400, random() < 0.7];
      await moment(patience);
      await (commits ? slow.commit() : slow.rollback());
    }
  };
  // Each with numbers of its own, so that who comes first does not change what each does.
  const own = (n: number) => randomFrom(seed * 100 + n);
  const running = Promise.all([stalling(own(0)), ...Array.from({ length: writers }, (_, n) => writer(own(n + 1)))]);
  running.catch(() => undefined);
  return {
    async end(): Promise<void> {
      ending.abort();
      await running;
    },
  };
}

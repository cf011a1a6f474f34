// Everybody who says whether something succeeded, asked about the cells that are easily got wrong: all answer as the table does.
import { randomUUID } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { embeddedSource, openEmbedded, syncOnce } from '../lineage/index.ts';
import {
  deriveJudgment,
  type JudgmentWord,
  type Lifecycle,
  type Verification,
  withDelivery,
} from '../src/contract/judgment/index.ts';
import { consequencesOf } from '../src/contract/judgment/table.ts';
import { jsonb } from '../src/database/statement.ts';
import { cliHere } from './support/cli-here.ts';
import { type Document, envelopeFor } from './support/envelopes.ts';
import { startReceiver } from './support/receiver.ts';
import { expectTaken, registered, relayOn } from './support/relay.ts';
import { ORCHESTRATOR, type SqlLedger, sqlLedger } from './support/sql-ledger.ts';
import { useStack } from './support/stack.ts';
import { mirrorOf } from './support/sync.ts';

const stack = useStack();
const ENDED = { started: true, timed_out: false, system_fault: false };
const FAILED = { verification: 'failed', process: { ...ENDED, exit_code: 1 }, command: 'npm test' };
const PASSED = { verification: 'passed', process: { ...ENDED, exit_code: 0 }, command: 'npm test' };

interface Cell {
  name: string;
  status: 'success' | 'failure';
  verify?: string;
  evidence?: Document;
  hollow?: boolean;
  merged?: boolean;
  /** What the table is asked with. */
  table: [Lifecycle, Verification, boolean];
}
const CELLS: readonly Cell[] = [
  { name: 'done and failed', status: 'success', evidence: FAILED, table: ['done', 'failed', false] },
  { name: 'done, pending and required', status: 'success', verify: 'npm test', table: ['done', 'pending', true] },
  { name: 'done, and none required', status: 'success', table: ['done', 'skipped', false] },
  {
    name: 'merged and unobserved',
    status: 'success',
    evidence: { verification: 'unobserved' },
    merged: true,
    table: ['merged', 'unobserved', false],
  },
  { name: 'failed and passed', status: 'failure', evidence: PASSED, table: ['failed', 'passed', false] },
  { name: 'a hollow delivery', status: 'success', evidence: PASSED, hollow: true, table: ['done', 'passed', false] },
];

interface Subject extends Cell {
  id: string;
  sourceId: string;
  expected: { judgment: JudgmentWord; reason: string | null; tag: string | null; gate: string; successes: number };
}
let subjects: Subject[];
let tenantId: string;
let ledger: SqlLedger;

let verifier: SqlLedger;
let operator: SqlLedger;

/** What a cell says, as it comes about in a ledger. */
async function made(cell: Cell): Promise<Subject> {
  const sourceId = `agent-${randomUUID()}`;
  const start = await ledger.start({
    source: { id: sourceId, version: '1.0.0', domain: 'art' },
    ...(cell.verify === undefined ? {} : { verify: cell.verify }),
  });
  const { record } = await ledger.record(start, envelopeFor(start, cell.status));
  const outcome_id = record['outcome_id'] as string;
  if (cell.evidence) await verifier.ask('record_verification', jsonb({ outcome_id, ...cell.evidence }));
  if (cell.hollow)
    await verifier.ask('assess_delivery', jsonb({ outcome_id, assessment: 'hollow', reason: 'nothing' }));
  if (cell.merged) {
    await operator.ask('record_integration', jsonb({ outcome_id, reference: 'abc', allow_unverified: 'read by hand' }));
  }
  const judged = withDelivery(deriveJudgment(...cell.table), cell.hollow ? 'hollow' : null);
  const { tag, gate, counts_as_success } = consequencesOf(judged);
  const expected = { judgment: judged.outcome, reason: judged.reason, tag, gate, successes: counts_as_success ? 1 : 0 };
  return { ...cell, id: outcome_id, sourceId, expected };
}

beforeAll(async () => {
  tenantId = await stack.database.tenant();
  ledger = sqlLedger(stack.database, { tenantId, ...ORCHESTRATOR });
  verifier = sqlLedger(stack.database, { tenantId, role: 'worker', actorId: 'verifier-1' });
  operator = sqlLedger(stack.database, { tenantId, role: 'operator', actorId: 'hanna' });
  subjects = [];
  for (const cell of CELLS) subjects.push(await made(cell));
});

async function read(path: string): Promise<Document> {
  const authorization = await stack.bearer({ tenantId, role: 'auditor', actorId: 'ada' });
  return (await fetch(`${stack.functionsUrl}${path}`, { headers: authorization })).json() as Promise<Document>;
}
async function cli(...args: string[]) {
  const token = await stack.mintToken({ tenantId, role: 'auditor', actorId: 'ada' });
  return cliHere([...args, '--url', stack.functionsUrl, '--token', token]);
}
const judgmentOf = ({ judgment, reason, tag, gate }: Document) => ({ judgment, reason, tag, gate });
const wordOf = ({ judgment, verification }: Document) => ({ judgment, verification });

/** Each consumer's answer about one subject, and what it has to be. */
const CONSUMERS: Record<string, (subject: Subject) => Promise<[unknown, unknown]>> = {
  'the view': async ({ id, expected: { successes: _, ...expected } }) => {
    const [row] = await stack.database.as(
      { tenantId, role: 'auditor', actorId: 'ada' },
      (tx) => tx`select judgment, reason, tag, gate from public.outcome_judgments where outcome_id = ${id}`,
    );
    return [{ ...row }, expected];
  },
  'GET judgments/{id}': async ({ id, expected: { successes: _, ...expected } }) => [
    judgmentOf(await read(`/judgments/${id}`)),
    expected,
  ],
  'GET judgments': async ({ sourceId, expected: { successes: _, ...expected } }) => [
    ((await read(`/judgments?source_id=${sourceId}`))['items'] as Document[]).map(judgmentOf),
    [expected],
  ],
  'GET outcomes/{id}': async ({ id, table, expected }) => [
    wordOf(await read(`/outcomes/${id}`)),
    { judgment: expected.judgment, verification: table[1] },
  ],
  'GET outcomes': async ({ sourceId, table, expected }) => [
    ((await read(`/outcomes?source_id=${sourceId}`))['items'] as Document[]).map(wordOf),
    [{ judgment: expected.judgment, verification: table[1] }],
  ],
  'judgment show': async ({ id, expected: { successes: _, ...expected } }) => [
    judgmentOf((await cli('judgment', 'show', id, '--json')).json()),
    expected,
  ],
  'outcome show': async ({ id, table, expected }) => [
    wordOf((await cli('outcome', 'show', id, '--json')).json()),
    { judgment: expected.judgment, verification: table[1] },
  ],
  statistics: async ({ sourceId, expected }) => {
    const [item] = (await read(`/statistics/judgments?source_id=${sourceId}`))['items'] as Document[];
    const counted = Object.entries(item?.['judgments'] as Record<string, number>).filter(([, count]) => count > 0);
    return [
      [counted, item?.['successes']],
      [[[expected.judgment, 1]], expected.successes],
    ];
  },
  stats: async ({ sourceId, expected }) => {
    const [item] = (await cli('stats', '--source', sourceId, '--json')).json()['items'];
    return [item.successes, expected.successes];
  },
  gate: async ({ id, expected }) => [(await cli('gate', id)).code, expected.gate === 'proceed' ? 0 : 1],
  wait: async ({ id, table, expected }) => {
    const answer = await cli('wait', id, '--timeout', '1s', '--json');
    // What is expected may still come, so that waiting ends by its time and not by a judgment.
    const final = !(table[1] === 'pending' && table[2]);
    const said = final ? answer.json()['judgment'] : answer.json()['code'];
    return [
      [answer.code, said],
      [expected.successes === 1 ? 0 : 1, final ? expected.judgment : 'wait_timeout'],
    ];
  },
  'the graph': async ({ id, expected }) => [await graphJudgment(id), expected.judgment],
  'a webhook': async (subject) => [
    wordOf((await webhookEvent(subject))['data']),
    { judgment: subject.expected.judgment, verification: subject.table[1] },
  ],
};

let mirrored: Promise<Map<string, string>> | undefined;
/** What the generated CASE makes of the facts that the mirror carries. */
async function graphJudgment(id: string): Promise<string | undefined> {
  mirrored ??= judgmentsInGraph();
  return (await mirrored).get(id);
}

async function judgmentsInGraph(): Promise<Map<string, string>> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'judged-graph-'));
  try {
    const graph = embeddedSource({ directory, tenantId });
    await syncOnce(mirrorOf(stack.database, graph));
    const opened = await openEmbedded({ directory, tenantId });
    try {
      const text = await readFile(path.join(import.meta.dirname, '../lineage/queries/embedded/judged.cypher'), 'utf8');
      const parameters = { tenant_id: tenantId, ids: subjects.map(({ id }) => id), now: new Date().toISOString() };
      const { rows } = await opened.query(text, parameters, { timeoutMs: 10_000, maxRows: 100 });
      return new Map(rows.map(({ outcome, judgment }) => [(outcome as Document)['outcome_id'], judgment as string]));
    } finally {
      await opened.close();
    }
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** The event of such an outcome as a webhook gets it that is served once all evidence is there. */
async function webhookEvent(cell: Cell): Promise<Document> {
  const receiver = await startReceiver();
  await registered(stack.database, tenantId, receiver.url, { event_types: ['os.outcome.*'] });
  const { id } = await made(cell);
  relayOn(stack.database);
  await expectTaken(receiver, 1);
  expect(receiver.took[0]?.event['id']).toBe(id);
  return receiver.took[0]?.event as Document;
}

describe.each(Object.keys(CONSUMERS))('%s', (consumer) => {
  it.each(CELLS.map(({ name }, n) => [name, n] as const))('%s', async (_, n) => {
    const [answer, expected] = await (CONSUMERS[consumer] as (typeof CONSUMERS)[string])(subjects[n] as Subject);
    expect(answer).toEqual(expected);
  });
});

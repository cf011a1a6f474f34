// A subject for every cell of the product: started, decided about, asked about and answered, in few statements.
import { jsonb } from '../../src/database/statement.ts';
import type { Caller } from './claims.ts';
import type { TestDatabase } from './database.ts';
import {
  type Document,
  envelopeFor,
  executionStart,
  invocationStart,
  policyDecision,
  policyMember,
} from './envelopes.ts';
import { asksHuman, CELLS, type Cell } from './policy-product.ts';
import { type Answer, GUARD, idOf, OPERATOR, ORCHESTRATOR, type SqlLedger, sqlLedger } from './sql-ledger.ts';

export interface Subject {
  cell: Cell;
  start: Document;
  /** What a recorder sends: the subject's id and the envelope, which repeats the recorded decision. */
  item: Document;
}

const subjectId = (kind: Cell['kind'], start: Document) => ({ [`${kind}_id`]: idOf(start) });

export async function productSubjects(database: TestDatabase, tenantId: string): Promise<Subject[]> {
  const ledger = sqlLedger(database, { tenantId, ...ORCHESTRATOR });
  const subjects = CELLS.map((cell): Subject => {
    const { kind, governance: governance_class, decided, status } = cell;
    const start = (kind === 'invocation' ? invocationStart : executionStart)({ governance_class });
    const policy = decided ? { ...policyMember(decided.decision), requires_hitl: decided.requires_hitl } : null;
    return { cell, start, item: { ...subjectId(kind, start), outcome: envelopeFor(start, status, { policy }) } };
  });
  for (const kind of ['invocation', 'execution'] as const) {
    const starts = subjects.filter(({ cell }) => cell.kind === kind).map(({ start }) => start);
    await inBatches(ledger, `start_${kind}s`, starts);
  }
  const late = subjects.filter(({ cell }) => cell.resolution === 'expired');
  const timely = subjects.filter(({ cell }) => cell.resolution !== 'expired');
  await ask(database, tenantId, timely);
  await withShortExpiry(database, () => ask(database, tenantId, late));
  for (const resolution of ['approved', 'rejected'] as const) {
    const answered = subjects.filter(({ cell }) => cell.resolution === resolution).map(({ start }) => idOf(start));
    const requests = await database.sql`
      select hitl_request_id from public.hitl_requests where coalesce(invocation_id, execution_id)::text = any(${answered})`;
    if (requests.count !== answered.length) throw new Error(`${answered.length} subjects, ${requests.count} requests`);
    await each(
      database,
      { tenantId, ...OPERATOR },
      'resolve_hitl_request',
      requests.map((row) => ({ hitl_request_id: row['hitl_request_id'], resolution, reason: 'looked at it' })),
    );
  }
  return subjects;
}

/** Decisions, which ask a human where they must; where there is to be a request all the same, the orchestrator asks. */
async function ask(database: TestDatabase, tenantId: string, subjects: Subject[]): Promise<void> {
  const decisions = subjects.flatMap(({ cell, start }) =>
    cell.decided ? [policyDecision(subjectId(cell.kind, start), { ...cell.decided })] : [],
  );
  await inBatches(sqlLedger(database, { tenantId, ...GUARD }), 'record_policy_decisions', decisions);
  const unasked = subjects.filter(({ cell }) => !asksHuman(cell.decided) && cell.resolution !== 'none');
  await each(
    database,
    { tenantId, ...ORCHESTRATOR },
    'open_hitl_request',
    unasked.map(({ cell, start }) => ({ ...subjectId(cell.kind, start), reason: 'may it?' })),
  );
}

/** Requests opened meanwhile expire at once: no test waits a day for nobody's answer. */
async function withShortExpiry(database: TestDatabase, work: () => Promise<void>): Promise<void> {
  const [kept] = await database.sql<{ text: string }[]>`
    select pg_get_functiondef('ledger_internal.default_hitl_expiry()'::regprocedure) as text`;
  if (!kept) throw new Error('no expiry to shorten');
  await database.sql.unsafe(`create or replace function ledger_internal.default_hitl_expiry() returns interval
    language sql immutable as $$ select interval '1 millisecond' $$`);
  try {
    await work();
  } finally {
    await database.sql.unsafe(kept.text);
  }
}

async function inBatches(ledger: SqlLedger, name: string, documents: Document[]): Promise<void> {
  for (let from = 0; from < documents.length; from += 100)
    allRecorded(name, await ledger.ask<Answer[]>(name, jsonb(documents.slice(from, from + 100))));
}

/** One function, once a document, in one transaction. */
async function each(database: TestDatabase, caller: Caller, name: string, documents: Document[]): Promise<void> {
  const rows = await database.as(
    caller,
    (tx) =>
      tx.unsafe(`select public.${name}(d) as answer from jsonb_array_elements($1::text::jsonb) d`, [
        JSON.stringify(documents),
      ]) as Promise<{ answer: Answer }[]>,
  );
  allRecorded(
    name,
    rows.map(({ answer }) => answer),
  );
}

function allRecorded(name: string, answers: Answer[]): void {
  const other = answers.find(({ result }) => result !== 'recorded');
  if (other) throw new Error(`${name}: ${JSON.stringify(other)}`);
}

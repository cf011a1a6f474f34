// The role × write matrix, walked whole in SQL: a bare insert and the exposed function, as every role, into every table.
import { beforeAll, describe, expect, it } from 'vitest';
import type { WriteTable } from '../src/contract/roles.ts';
import { jsonb, text, uuid } from '../src/database/statement.ts';
import { undone } from './support/attacks.ts';
import { useDatabase } from './support/database.ts';
import { type Document, policySetHash } from './support/envelopes.ts';
import {
  ACTOR,
  CELLS,
  documentFor,
  makeSubjects,
  nameOf,
  OWNERSHIPS,
  rowFor,
  type Subjects,
} from './support/matrix.ts';
import { withReport } from './support/phase-rows.ts';
import { readRefusal } from './support/refused.ts';
import { insertRow } from './support/rows.ts';
import { type Answer, callIn } from './support/sql-ledger.ts';

const database = useDatabase();
let tenantId: string;
let foreignTenant: string;
const subjects = new Map<string, Subjects>();
let foreign: Subjects;

const key = (own: { source: boolean; started: boolean }) => `${own.source} ${own.started}`;

beforeAll(async () => {
  tenantId = await database.tenant();
  foreignTenant = await database.tenant();
  for (const own of OWNERSHIPS) subjects.set(key(own), await makeSubjects(database, tenantId, own));
  foreign = await makeSubjects(database, foreignTenant, { source: true, started: true });
});

/** The row, after what it cannot stand without. */
async function insertWhole(tx: Parameters<typeof insertRow>[0], table: WriteTable, row: Document) {
  if (table === 'artifacts') await withReport(tx, tenantId, row['invocation_id']);
  return insertRow(tx, table, row);
}

/** `written`, or the code of the refusal; nothing is kept. */
async function tried(
  role: Parameters<typeof nameOf>[0]['role'],
  write: (tx: Parameters<typeof insertRow>[0]) => Promise<unknown>,
) {
  try {
    await undone((work) => database.as({ tenantId, role, actorId: ACTOR }, work), write);
    return 'written';
  } catch (error) {
    return readRefusal(error).code;
  }
}

const FUNCTIONS: Record<WriteTable, (document: Document) => [string, ...Parameters<typeof callIn>[2][]]> = {
  source_definitions: (d) => ['put_source_definition', jsonb(d)],
  workflow_executions: (d) => ['start_execution', jsonb(d)],
  agent_invocations: (d) => ['start_invocation', jsonb(d)],
  agent_tool_calls: (d) => ['record_tool_call', jsonb(d)],
  agent_invocation_outcomes: (d) => ['record_agent_outcome', uuid(d['invocation_id']), jsonb(d['outcome'])],
  workflow_outcomes: (d) => ['record_workflow_outcome', uuid(d['execution_id']), jsonb(d['outcome'])],
  late_outcomes: (d) => ['record_agent_outcome', uuid(d['invocation_id']), jsonb(d['outcome'])],
  policy_decisions: (d) => ['record_policy_decision', jsonb(d)],
  policy_sets: (d) => ['put_policy_set', jsonb(d), text(policySetHash(d))],
  hitl_requests: (d) => ['open_hitl_request', jsonb(d)],
  hitl_resolutions: (d) => ['resolve_hitl_request', jsonb(d)],
  phase_reports: (d) => ['conclude_invocation', uuid(d['invocation_id']), jsonb(d['conclusion'])],
  artifacts: (d) => ['conclude_invocation', uuid(d['invocation_id']), jsonb(d['conclusion'])],
  outcome_verifications: (d) => ['record_verification', jsonb(d)],
  delivery_assessments: (d) => ['assess_delivery', jsonb(d)],
  outcome_integrations: (d) => ['record_integration', jsonb(d)],
  lifecycle_events: (d) => ['record_lifecycle', jsonb(d)],
  os_events: (d) => ['register_event', jsonb(d)],
  agent_lineage_links: (d) => ['declare_link', jsonb(d)],
};

describe('a bare insert', () => {
  it.each(CELLS.map((cell) => [nameOf(cell), cell] as const))('%s', async (_, { role, table, own, may }) => {
    const row = rowFor(table, subjects.get(key(own)) as Subjects);
    expect(await tried(role, (tx) => insertWhole(tx, table, row))).toBe(may ? 'written' : 'not_permitted');
  });

  it('never reaches another tenant, whatever the role', async () => {
    for (const { role, table } of CELLS.filter(({ own }) => own.source && own.started)) {
      const row = { ...rowFor(table, foreign), tenant_id: foreignTenant };
      const there = await tried(role, (tx) => insertWhole(tx, table, row));
      expect(there, `${role} ${table}`).toMatch(/^(not_permitted|unknown_invocation|unknown_execution)$/);
      if (['source_definitions', 'policy_sets', 'workflow_executions'].includes(table)) continue;
      const about = await tried(role, (tx) => insertWhole(tx, table, rowFor(table, foreign)));
      expect(about, `${role} ${table} about a foreign subject`).toMatch(
        /^(not_permitted|unknown_(hitl_request|invocation|execution|outcome))$/,
      );
    }
  });
});

describe('the exposed function', () => {
  it.each(CELLS.map((cell) => [nameOf(cell), cell] as const))('%s', async (_, { role, table, own, may }) => {
    const [name, ...args] = FUNCTIONS[table](documentFor(table, subjects.get(key(own)) as Subjects));
    let answer: Answer | undefined;
    const outcome = await tried(role, async (tx) => {
      answer = await callIn(tx, name, ...args);
    });
    expect(outcome).toBe(may ? 'written' : 'not_permitted');
    if (may) expect(answer?.result).toBe(table === 'late_outcomes' ? 'conflict' : 'recorded');
  });

  it('lets an event from outside be received by whoever may write events, and nobody else', async () => {
    for (const { role, table, may } of CELLS.filter(
      (cell) => cell.table === 'os_events' && cell.own.source && cell.own.started,
    )) {
      const received = jsonb({ type: 'shop.order.placed', source: 'shop', data: {} });
      const outcome = await tried(role, (tx) => callIn(tx, 'register_event', received));
      expect(outcome, `${role} ${table}`).toBe(may ? 'written' : 'not_permitted');
    }
  });

  it('says what an execution does by the same rights as of an invocation', async () => {
    for (const { role, own, may } of CELLS.filter((cell) => cell.table === 'lifecycle_events')) {
      const execution_id = subjects.get(key(own))?.execution['execution_id'];
      const outcome = await tried(role, (tx) =>
        callIn(tx, 'record_lifecycle', jsonb({ execution_id, lifecycle: 'waiting' })),
      );
      expect(outcome, `${role} ${JSON.stringify(own)}`).toBe(may ? 'written' : 'not_permitted');
    }
  });

  it('beats the heart of whatever the role may write tool calls about', async () => {
    for (const { role, own, may } of CELLS.filter((cell) => cell.table === 'agent_tool_calls')) {
      const id = subjects.get(key(own))?.invocation['invocation_id'];
      const outcome = await tried(role, (tx) => callIn(tx, 'heartbeat', uuid(id)));
      expect(outcome, role).toBe(may ? 'written' : 'not_permitted');
    }
  });
});

// The trigger and the policy say the same, and each refuses alone.
describe('with one of the two guards taken away', () => {
  const cells = CELLS.filter(
    (cell) =>
      !cell.may &&
      ![
        'source_definitions',
        'workflow_executions',
        'agent_lineage_links',
        'agent_invocations',
        'policy_decisions',
        'hitl_resolutions',
      ].includes(cell.table),
  );

  async function without(
    guard: string,
    role: string,
    work: (tx: Parameters<typeof insertRow>[0]) => Promise<unknown>,
  ): Promise<string> {
    try {
      await undone(
        (run) => database.admin.begin(run),
        async (tx) => {
          await tx.unsafe(guard);
          const claims = { app_metadata: { tenant_id: tenantId, ledger_role: role, actor_id: ACTOR } };
          await tx`select set_config('role', 'authenticated', true), set_config('request.jwt.claims', ${JSON.stringify(claims)}, true)`;
          return work(tx);
        },
      );
      return 'written';
    } catch (error) {
      return readRefusal(error).code;
    }
  }

  const noPolicy = (table: string) =>
    `create policy "hole" on public.${table} for insert to authenticated with check (true)`;
  const noMatrix = `create or replace function ledger_internal.may_write(ledger_table text, ledger_role text, actor text, source_id text, started_by text)
    returns boolean language sql immutable as 'select true'`;

  it('the other refuses; without both, the write goes through', async () => {
    for (const { role, table, own } of cells) {
      const row = rowFor(table, subjects.get(key(own)) as Subjects);
      const insert = (tx: Parameters<typeof insertRow>[0]) => insertWhole(tx, table, row);
      expect(await without(noPolicy(table), role, insert), `${role} ${table}`).toBe('not_permitted');
      expect(await without(noMatrix, role, insert), `${role} ${table}`).toBe('not_permitted');
      expect(await without(`${noPolicy(table)};${noMatrix}`, role, insert), `${role} ${table}`).toBe('written');
    }
  });
});

// Two sessions side by side on one subject, driven step by step.
import type { Sql, TransactionSql } from 'postgres';
import { jsonb, text, uuid } from '../../src/database/statement.ts';
import { type Caller, claimsOf } from './claims.ts';
import { waitsOrEnds } from './crowd.ts';
import type { TestDatabase } from './database.ts';
import {
  type Document,
  envelopeFor,
  executionStart,
  invocationStart,
  policyDecision,
  policyMember,
} from './envelopes.ts';
import { type Beside, isRefused, type Scene, type State, type Step } from './interleavings-model.ts';
import { connect } from './shared-server.ts';
import { callIn, GUARD, idOf, OPERATOR, ORCHESTRATOR, recordIn, sqlLedger } from './sql-ledger.ts';

export type Kind = 'invocation' | 'execution';

/** A session that takes on the caller each step is taken by; a step's answer is one word. */
interface Session {
  readonly sql: TransactionSql;
  readonly pid: number;
  end(): Promise<void>;
}

/** A subject in its scene, and what the sessions know of the decision about it. */
interface Stage {
  kind: Kind;
  tenantId: string;
  start: Document;
  requestId: string | null;
}

const DECISION = { decision: 'allow', requires_hitl: true } as const;

async function openSession(database: TestDatabase): Promise<Session> {
  const session: Sql = connect(database.adminUrl, 1);
  const [row] = await session`select pg_backend_pid() as pid`;
  return { sql: session as unknown as TransactionSql, pid: row?.['pid'], end: () => session.end({ timeout: 5 }) };
}

const become = async (tx: TransactionSql, role: string, caller?: Caller): Promise<void> => {
  const claims = caller ? JSON.stringify(claimsOf(caller)) : '';
  await tx`select set_config('role', ${role}, true), set_config('request.jwt.claims', ${claims}, true)`;
};

const decisionAbout = ({ kind, start }: Stage) => policyDecision({ [`${kind}_id`]: idOf(start) }, { ...DECISION });
const answerTo = (id: string) => ({ hitl_request_id: id, resolution: 'approved', reason: 'looked at it' });

/** Takes one step within the session's transaction. `requestId` is what its session knows. */
async function stepIn(tx: TransactionSql, stage: Stage, step: Step, requestId: string | null) {
  const { kind, tenantId, start } = stage;
  if (step === 'sweep') {
    await become(tx, 'ledger_sweep');
    await tx`select public.sweep_overdue()`;
    await become(tx, 'none');
    const ended = await tx`
      select from ledger_internal.outcomes o join public.os_events e on e.event_id = o.outcome_id::text and e.tenant_id = o.tenant_id
       where o.subject_id = ${idOf(start)} and e.recorded_by = 'ledger-sweep' and e.xid = pg_current_xact_id()`;
    return { result: ended.count > 0 ? 'swept' : 'nothing' };
  }
  const who = step === 'decide' ? GUARD : step === 'resolve' ? OPERATOR : ORCHESTRATOR;
  await become(tx, 'authenticated', { tenantId, ...who });
  switch (step) {
    case 'start':
      return callIn(tx, `start_${kind}`, jsonb(start));
    case 'decide':
      return callIn(tx, 'record_policy_decision', jsonb(decisionAbout(stage)));
    case 'finish': {
      const policy = requestId ? { ...policyMember('allow'), requires_hitl: true } : null;
      return recordIn(tx, start, envelopeFor(start, 'success', { policy }));
    }
    case 'cancel':
      return callIn(tx, `cancel_${kind}`, uuid(idOf(start)), text('withdrawn'));
    case 'resolve':
      return callIn(tx, 'resolve_hitl_request', jsonb(answerTo(requestId ?? `nobody asked about ${idOf(start)}`)));
  }
}

/** One word for an answer; what is no refusal of the ledger's keeps its SQLSTATE, which no table expects. */
async function wordOf(kind: Kind, work: Promise<{ result: string; record?: Document }>) {
  try {
    const { result, record } = await work;
    return { word: result, decisionId: (record?.['decision_id'] as string | undefined) ?? null };
  } catch (error) {
    const { code, message } = error as { code: string; message: string };
    const known: Record<string, string> = {
      [`unknown_${kind}`]: 'unknown',
      [`${kind}_closed`]: 'closed',
      unknown_hitl_request: 'unknown_request',
    };
    return { word: /^PT/.test(code) ? (known[message] ?? message) : `${code} ${message}`, decisionId: null };
  }
}

export interface Interleaving {
  kind: Kind;
  scene: Scene;
  first: readonly Step[];
  second: Step;
  ending: 'commit' | 'rollback';
  third?: Step | undefined;
}

export interface Theatre {
  play(interleaving: Interleaving): Promise<Beside>;
  end(): Promise<void>;
}

export async function openTheatre(database: TestDatabase, tenantId: string): Promise<Theatre> {
  const [one, two] = await Promise.all([openSession(database), openSession(database)]);
  const ledger = sqlLedger(database, { tenantId, ...ORCHESTRATOR });

  async function set(kind: Kind, scene: Scene): Promise<Stage> {
    // Not there yet, it passes its deadline at once; else the deadline is moved back once all else is there.
    const soon = scene === 'nothing' ? { deadline_in_ms: 1 } : {};
    const start = (kind === 'invocation' ? invocationStart : executionStart)(soon);
    const stage: Stage = { kind, tenantId, start, requestId: null };
    if (scene === 'nothing') return stage;
    await ledger.ask(`start_${kind}`, jsonb(start));
    if (scene !== 'open') {
      const decided = await sqlLedger(database, { tenantId, ...GUARD }).decide(decisionAbout(stage));
      stage.requestId = decided.record['decision_id'];
      if (scene === 'approved')
        await sqlLedger(database, { tenantId, ...OPERATOR }).ask(
          'resolve_hitl_request',
          jsonb(answerTo(stage.requestId as string)),
        );
    }
    await moveDeadline(start, '-1 second');
    return stage;
  }

  const moveDeadline = (start: Document, by: string) =>
    database.sql`update ledger_internal.open_work set deadline_at = clock_timestamp() + ${by}::interval where subject_id = ${idOf(start)}`;

  async function play({ kind, scene, first, second, ending, third }: Interleaving): Promise<Beside> {
    const stage = await set(kind, scene);
    const words: string[] = [];
    let committed = stage.requestId;
    let own = committed;
    await one.sql`begin`;
    for (const step of first) {
      const { word, decisionId } = await wordOf(kind, stepIn(one.sql, stage, step, own));
      words.push(word);
      own ??= decisionId;
      if (isRefused(word)) break;
    }
    await two.sql`begin`;
    const call = wordOf(kind, stepIn(two.sql, stage, second, committed));
    const waits = (await waitsOrEnds(database, two.pid, call)) === 'waits';
    const kept = ending === 'commit' && !words.some(isRefused);
    await one.sql.unsafe(kept ? 'commit' : 'rollback');
    if (kept) committed = own;
    const said = await call;
    await two.sql.unsafe(/^(PT|[0-9A-Z]{5} )/.test(said.word) || isRefused(said.word) ? 'rollback' : 'commit');
    committed ??= said.decisionId;
    let last: string | null = null;
    if (third) {
      await one.sql`begin`;
      ({ word: last } = await wordOf(kind, stepIn(one.sql, stage, third, committed)));
      await one.sql.unsafe(isRefused(last) ? 'rollback' : 'commit');
    }
    const state = await readState(stage);
    // So that no later sweep finds it.
    await moveDeadline(stage.start, '1 hour');
    return { first: words, waits, second: said.word, third: last, state };
  }

  /** Where the subject stands now; throws unless it has at most one outcome, with one event. */
  async function readState({ start }: Stage): Promise<State> {
    const id = idOf(start);
    const [row] = await database.sql`
      select (select count(*)::int from public.agent_invocations i where i.invocation_id = ${id}) + (select count(*)::int from public.workflow_executions x where x.execution_id = ${id}) as started,
             (select count(*)::int from public.policy_decisions d where coalesce(d.invocation_id, d.execution_id) = ${id}) as decided,
             (select count(*)::int from public.hitl_resolutions s join public.hitl_requests r using (hitl_request_id, tenant_id) where coalesce(r.invocation_id, r.execution_id) = ${id}) as answered,
             (select count(*)::int from ledger_internal.open_work w where w.subject_id = ${id}) as open,
             (select count(*)::int from public.late_outcomes l where coalesce(l.invocation_id, l.execution_id) = ${id}) as late,
             (select array_agg(o.origin) from (select origin, invocation_id as id from public.agent_invocation_outcomes union all select origin, execution_id from public.workflow_outcomes) o where o.id = ${id}) as origins,
             (select count(*)::int from public.os_events e join ledger_internal.outcomes o on e.event_id = o.outcome_id::text and e.tenant_id = o.tenant_id where o.subject_id = ${id}) as events`;
    const { started, decided, answered, open, late, origins, events } = row as Document;
    const outcomes = origins?.length ?? 0;
    if (
      started > 1 ||
      decided > 1 ||
      answered > 1 ||
      outcomes > 1 ||
      events !== outcomes ||
      open !== started - outcomes
    )
      throw new Error(`not one of each: ${JSON.stringify(row)}`);
    return {
      started: started === 1,
      decided: decided === 1,
      request: answered === 1 ? 'approved' : decided === 1 ? 'open' : 'none',
      ended:
        ({ recorded: 'finished', swept: 'swept', canceled: 'canceled' } as const)[origins?.[0] as 'recorded'] ?? null,
      late,
    };
  }

  return {
    play,
    async end() {
      await Promise.all([one.end(), two.end()]);
    },
  };
}

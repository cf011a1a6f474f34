// Many ends of one subject, released together: what a sweep, a completion and a cancel do to each other.

import type { Sql } from 'postgres';
import { afterAll, beforeAll } from 'vitest';
import { jsonb, text, uuid } from '../../src/database/statement.ts';
import { type Crowd, openCrowd } from './crowd.ts';
import type { TestDatabase } from './database.ts';
import { type Document, envelopeFor, executionStart, invocationStart } from './envelopes.ts';
import { randomFrom, shuffled } from './random.ts';
import { connect } from './shared-server.ts';
import { type Answer, callIn, idOf, ORCHESTRATOR, recordIn, type SqlLedger, sqlLedger } from './sql-ledger.ts';

export interface Swept {
  swept: number;
  skipped: number;
  expired_requests: number;
  more: boolean;
}

/** What ends a subject; its word is what it was answered. */
export type End = 'complete' | 'cancel' | 'sweep';

export interface SweepRaces {
  readonly tenantId: string;
  readonly ledger: SqlLedger;
  readonly random: () => number;
  /** Started subjects past their deadline, an execution now and then. */
  overdue(count: number): Promise<Document[]>;
  sweep(): Promise<Swept>;
  /** Releases the ends together, each a random moment later than the other; their words, in the order given. */
  race(start: Document, ends: readonly End[]): Promise<string[]>;
  /** Of each subject: outcomes, their origin, events, envelopes kept late. */
  left(starts: readonly Document[]): Promise<Document[]>;
}

/** How far apart two that are released together may be: about what one of them takes. */
const SPREAD_MS = 4;

export function useSweepRaces(database: TestDatabase, seed: number): SweepRaces {
  const random = randomFrom(seed);
  let tenantId: string;
  let crowd: Crowd;
  let sweepers: Sql;
  let ledger: SqlLedger;
  beforeAll(async () => {
    tenantId = await database.tenant();
    crowd = openCrowd(database, 8);
    sweepers = connect(database.urlAs('ledger_sweep'), 3);
    ledger = sqlLedger(crowd, { tenantId, ...ORCHESTRATOR });
  });
  afterAll(() => Promise.all([crowd.end(), sweepers.end()]));

  const sweep = async (): Promise<Swept> => {
    const [row] = await sweepers`select public.sweep_overdue() as said`;
    return row?.['said'];
  };
  const wordOf = (work: Promise<Answer>): Promise<string> =>
    work.then(
      ({ result }) => result,
      ({ code, message }) => `${code} ${message}`,
    );
  const END: Record<End, (start: Document) => Promise<string>> = {
    complete: (start) => wordOf(crowd.as(ledger.caller, (tx) => recordIn(tx, start, envelopeFor(start, 'success')))),
    cancel: (start) => {
      const name = start['invocation_id'] ? 'cancel_invocation' : 'cancel_execution';
      return wordOf(crowd.as(ledger.caller, (tx) => callIn(tx, name, uuid(idOf(start)), text('withdrawn'))));
    },
    sweep: () => sweep().then(({ swept }) => (swept > 0 ? 'swept' : 'nothing')),
  };

  return {
    get tenantId() {
      return tenantId;
    },
    get ledger() {
      return ledger;
    },
    random,
    sweep,
    async overdue(count) {
      const starts = Array.from({ length: count }, (_, n) => (n % 4 === 3 ? executionStart() : invocationStart()));
      const agents = starts.filter((start) => start['invocation_id']);
      const workflows = starts.filter((start) => start['execution_id']);
      for (let from = 0; from < agents.length; from += 100)
        await ledger.ask('start_invocations', jsonb(agents.slice(from, from + 100)));
      for (let from = 0; from < workflows.length; from += 100)
        await ledger.ask('start_executions', jsonb(workflows.slice(from, from + 100)));
      const ids = starts.map(idOf);
      await database.sql`update ledger_internal.open_work set deadline_at = clock_timestamp() where subject_id::text = any(${ids})`;
      return starts;
    },
    async race(start, ends) {
      const words = new Map<number, string>();
      const releases = shuffled([...ends.keys()], random).map((n) => ({ n, after: random() * SPREAD_MS }));
      await Promise.all(
        releases.map(async ({ n, after }) => {
          await new Promise((released) => setTimeout(released, after));
          words.set(n, await END[ends[n] as End](start));
        }),
      );
      return ends.map((_, n) => words.get(n) as string);
    },
    left(starts) {
      return database.sql`
        select s.id,
               (select array_agg(o.origin) from (select invocation_id as id, origin from public.agent_invocation_outcomes union all select execution_id, origin from public.workflow_outcomes) o where o.id::text = s.id) as origins,
               (select count(*)::int from public.os_events e join ledger_internal.outcomes o on e.outcome_id = o.outcome_id and e.tenant_id = o.tenant_id where o.subject_id::text = s.id) as events,
               (select coalesce(jsonb_agg(l.outcome_envelope ->> 'status'), '[]') from public.late_outcomes l where coalesce(l.invocation_id, l.execution_id)::text = s.id) as late
          from unnest(${starts.map(idOf)}::text[]) with ordinality s (id, place) order by s.place`;
    },
  };
}

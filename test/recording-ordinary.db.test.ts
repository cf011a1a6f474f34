// A batch writes its ordinary outcomes whole, without the triggers: the rows are those that the triggers write.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { jsonb } from '../src/database/statement.ts';
import { undone } from './support/attacks.ts';
import { claimsOf } from './support/claims.ts';
import { useDatabase } from './support/database.ts';
import { type Document, envelopeFor, event, policyDecision, policyMember, toolCall } from './support/envelopes.ts';
import { codeOf } from './support/refused.ts';
import { type Answer, callIn, GUARD, ORCHESTRATOR, type SqlLedger, sqlLedger } from './support/sql-ledger.ts';

const database = useDatabase();
let tenantId: string;
let ledger: SqlLedger;

beforeAll(async () => {
  tenantId = await database.tenant();
  ledger = sqlLedger(database, { tenantId, ...ORCHESTRATOR });
});

const item = (start: Document, outcome: unknown = envelopeFor(start)): Document => ({
  invocation_id: start['invocation_id'],
  outcome,
});

/** A subject and the envelope that ends it; made twice, once for each way. */
type Scene = () => Promise<{ start: Document; outcome: Document }>;
type Over = Parameters<typeof envelopeFor>[2];

const scene = async (over: Document, status?: Parameters<typeof envelopeFor>[1], envelope?: Over) => {
  const start = await ledger.start(over);
  return { start, outcome: envelopeFor(start, status, envelope) };
};
const ended = async (status?: Parameters<typeof envelopeFor>[1]) => ledger.end(await ledger.start(), status);
const nanoseconds = {
  timing: {
    started_at: '2026-05-20T23:59:59.123456789Z',
    completed_at: '2026-05-20T23:59:59.999999999Z',
    duration_ms: 7,
  },
};

const ORDINARY: [string, Scene][] = [
  ['caused by something outside', () => scene({})],
  ['caused by an outcome', async () => scene({ causation_id: await ended() })],
  ['caused by an outcome that escalated elsewhere', async () => scene({ causation_id: await ended('escalated') })],
  [
    'caused by an outcome that escalated to it',
    async () =>
      scene({ causation_id: await ended('escalated'), source: { id: 'os-agt-004', version: '1.0.0', domain: 'os' } }),
  ],
  [
    'caused by a workflow’s outcome',
    async () => scene({ causation_id: await ledger.end(await ledger.startExecution()) }),
  ],
  ['within an open execution', async () => scene({ execution_id: (await ledger.startExecution())['execution_id'] })],
  ['with a verification asked for', () => scene({ verify: 'npm test' })],
  ['with none asked for in words', () => scene({ verify: ' none ' })],
  ['a failure', () => scene({}, 'failure')],
  ['a timeout', () => scene({}, 'timeout')],
  ['an escalation', () => scene({}, 'escalated')],
  ['with times finer than microseconds', () => scene({}, 'success', nanoseconds)],
  [
    'with optional members absent',
    async () => {
      const { start, outcome } = await scene({});
      const { errors: _, quality: __, ...rest } = outcome;
      return { start, outcome: rest };
    },
  ],
];

/** What is not ordinary is written too, by the triggers. */
const OTHERS: [string, Scene][] = [
  ['caused by an open invocation', async () => scene({ causation_id: (await ledger.start())['invocation_id'] })],
  [
    'caused by an ended invocation',
    async () => {
      const cause = await ledger.start();
      await ledger.end(cause);
      return scene({ causation_id: cause['invocation_id'] });
    },
  ],
  [
    'caused by an event that an ended invocation registered',
    async () => {
      const cause = await ledger.start();
      const registered = event(cause['invocation_id'], { event_id: `evt-${randomUUID()}` });
      await ledger.event(registered);
      await ledger.end(cause);
      return scene({ causation_id: registered['event_id'] });
    },
  ],
  [
    'the cause of what came first',
    async () => {
      const made = await scene({});
      await ledger.end(await ledger.start({ causation_id: made.start['invocation_id'] }));
      return made;
    },
  ],
  [
    'the cause, by an event, of what came first',
    async () => {
      const made = await scene({});
      const registered = event(made.start['invocation_id'], { event_id: `evt-${randomUUID()}` });
      await ledger.event(registered);
      await ledger.end(await ledger.start({ causation_id: registered['event_id'] }));
      return made;
    },
  ],
  [
    'within an execution that ended',
    async () => {
      const execution = await ledger.startExecution();
      const made = await scene({ execution_id: execution['execution_id'] });
      await ledger.end(execution);
      return made;
    },
  ],
  [
    'decided about by an ended guard',
    async () => {
      const guard = sqlLedger(database, { tenantId, ...GUARD });
      const own = await ledger.start({ source: { id: GUARD.actorId, version: '1.0.0', domain: 'os' } });
      const made = await scene({ governance_class: 'supervised' }, 'success', { policy: policyMember() });
      await guard.decide(
        policyDecision({ invocation_id: made.start['invocation_id'] }, { guard_invocation_id: own['invocation_id'] }),
      );
      await ledger.end(own);
      return made;
    },
  ],
];

/** All rows an outcome left, ids, positions and the moment of writing aside, with its links named by the ends' own words. */
async function rowsOf(outcomeId: string): Promise<unknown> {
  const [row] = await database.admin.unsafe(
    `with outcome as (select * from public.agent_invocation_outcomes where outcome_id = $1::text::uuid), varying as (
       select array['outcome_id', 'invocation_id', 'execution_id', 'correlation_id', 'causation_id', 'seq', 'xid', 'recorded_at', 'event_id', 'link_id',
                    'source_outcome_id', 'target_outcome_id', 'outcome_envelope', 'data'] as names)
     select (select to_jsonb(o) - v.names || jsonb_build_object('envelope', o.outcome_envelope - v.names, 'in', o.execution_id is not null,
               'id', o.outcome_envelope ->> 'outcome_id' = o.outcome_id::text, 'own', o.outcome_envelope ->> 'correlation_id' = o.correlation_id and o.outcome_envelope ->> 'causation_id' = o.causation_id,
               'xid', o.xid = i.xid) from outcome o join public.agent_invocation_outcomes i using (outcome_id)) as outcome,
            (select to_jsonb(i) - v.names from public.outcome_ids i join outcome o using (outcome_id)) as claim,
            (select jsonb_agg(to_jsonb(e) - v.names || jsonb_build_object('data', e.data - v.names, 'own', e.outcome_id = o.outcome_id and e.event_id = o.outcome_id::text
               and e.correlation_id = o.correlation_id and e.causation_id = o.causation_id and e.xid = o.xid and e.seq > o.seq and e.recorded_at = o.recorded_at
               and e.data ->> 'outcome_id' = o.outcome_id::text and e.data ->> 'correlation_id' = o.correlation_id))
               from public.os_events e join outcome o on o.outcome_id = e.outcome_id) as events,
            (select jsonb_agg(to_jsonb(l) - v.names || jsonb_build_object('source', l.source_outcome_id = o.outcome_id, 'xid', l.xid = o.xid, 'after', l.seq > o.seq) order by l.relation, l.source_type)
               from public.agent_lineage_links l join outcome o on o.outcome_id in (l.source_outcome_id, l.target_outcome_id)) as links,
            (select count(*)::integer from ledger_internal.open_work w join outcome o on w.subject_id = o.invocation_id) as open
       from varying v`,
    [outcomeId],
  );
  return row;
}

describe('an outcome recorded in a batch leaves the rows of one recorded alone', () => {
  it.each([...ORDINARY, ...OTHERS])('%s', async (_, make) => {
    const [one, other] = [await make(), await make()];
    const alone = await ledger.record(one.start, one.outcome);
    const [batched] = await ledger.ask<Answer[]>('record_outcomes', jsonb([item(other.start, other.outcome)]));
    expect([alone.result, batched?.result]).toEqual(['recorded', 'recorded']);
    expect(await rowsOf(batched?.record['outcome_id'])).toEqual(await rowsOf(alone.record['outcome_id']));
  });
});

describe('without the triggers', () => {
  const untriggered = <T>(scenes: { start: Document; outcome: Document }[], read: (answers: Answer[]) => T) =>
    undone(
      (work) => database.admin.begin(work),
      async (tx) => {
        await tx.unsafe('alter table public.agent_invocation_outcomes disable trigger accept, disable trigger publish');
        await tx`select set_config('role', 'authenticated', true), set_config('request.jwt.claims', ${JSON.stringify(claimsOf({ tenantId, ...ORCHESTRATOR }))}, true)`;
        return read(await callIn<Answer[]>(tx, 'record_outcomes', jsonb(scenes.map((s) => item(s.start, s.outcome)))));
      },
    );

  it('what is ordinary is written all the same, and nothing else is', async () => {
    for (const [name, make] of ORDINARY) {
      expect(await untriggered([await make()], (answers) => answers[0]?.result), name).toBe('recorded');
    }
    // Without the trigger that sets them a row has no tenant, and its policy refuses it.
    for (const [name, make] of OTHERS) {
      expect(await untriggered([await make()], (answers) => answers[0]?.result), name).toBe('refused');
    }
  });
});

describe('the setting that says so', () => {
  it('lets no token past the triggers', async () => {
    const start = await ledger.start();
    const bare = (envelope: Document) =>
      database.as(ledger.caller, async (tx) => {
        await tx`select set_config('ledger_internal.written_whole', 'on', true)`;
        return tx`insert into public.agent_invocation_outcomes (invocation_id, outcome_envelope)
          values (${start['invocation_id']}, ${tx.json(envelope)}) returning outcome_id`;
      });
    expect(await codeOf(bare(envelopeFor(start, 'success', { mood: 'good' })))).toBe('envelope_invalid');
    const [row] = await bare(envelopeFor(start));
    expect(await rowsOf(row?.['outcome_id'])).toMatchObject({ events: [{ own: true }], open: 0 });
    expect(await codeOf(ledger.toolCall(toolCall(start['invocation_id'])))).toBe('invocation_closed');
  });
});

// Which links there are not, and which an orchestrator may declare.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { jsonb } from '../src/database/statement.ts';
import { useDatabase } from './support/database.ts';
import { event } from './support/envelopes.ts';
import { codeOf } from './support/refused.ts';
import { callIn, ORCHESTRATOR, type SqlLedger, sqlLedger } from './support/sql-ledger.ts';

const database = useDatabase();
let tenantId: string;
let ledger: SqlLedger;

beforeAll(async () => {
  tenantId = await database.tenant();
  ledger = sqlLedger(database, { tenantId, ...ORCHESTRATOR });
});

const linksOf = async (...ids: string[]) => [
  ...(await database.sql`
    select source_outcome_id as source, relation, target_outcome_id as target, origin from public.agent_lineage_links
     where source_outcome_id = any(${ids}) or target_outcome_id = any(${ids})`),
];

describe('no link', () => {
  it('from what nobody recorded, or came from outside', async () => {
    const received = event();
    await ledger.event(received);
    for (const causation_id of ['nothing-known', randomUUID(), received['event_id']]) {
      expect(await linksOf(await ledger.end(await ledger.start({ causation_id })))).toEqual([]);
    }
  });

  it('from an outcome to itself, also by way of its own event', async () => {
    const id = `event-${randomUUID()}`;
    const start = await ledger.start({ causation_id: id });
    await ledger.event(event(start['invocation_id'], { event_id: id }));
    expect(await linksOf(await ledger.end(start))).toEqual([]);
    const self = randomUUID();
    expect(await codeOf(ledger.start({ invocation_id: self, causation_id: self }))).toBe('lineage_invalid');
    await expect(
      database.admin`insert into public.agent_lineage_links (tenant_id, source_outcome_id, source_type, target_outcome_id, target_type, relation, seq, epoch, xid, recorded_at, recorded_by)
        values (${tenantId}, ${self}, 'agent', ${self}, 'agent', 'invoked', 0, 1, '1', now(), 'x')`,
    ).rejects.toMatchObject({ code: '23514' });
  });

  it('to another tenant’s outcome', async () => {
    const stranger = sqlLedger(database, { tenantId: await database.tenant(), ...ORCHESTRATOR });
    const theirs = await stranger.start();
    const one = await ledger.start({ causation_id: theirs['invocation_id'] });
    const two = await ledger.start({ causation_id: await stranger.end(theirs) });
    for (const start of [one, two]) expect(await linksOf(await ledger.end(start))).toEqual([]);
  });
});

describe('a declared link', () => {
  const declared = (source: string, target: string, relation = 'invoked') => ({
    source_outcome_id: source,
    target_outcome_id: target,
    relation,
  });
  const fresh = async () => ledger.end(await ledger.start());

  it('stands beside the derived ones, once', async () => {
    const [one, two] = [await fresh(), await fresh()];
    expect(await ledger.link(declared(one, two))).toMatchObject({
      result: 'recorded',
      record: { origin: 'declared', declared_by: ORCHESTRATOR.actorId },
    });
    expect((await ledger.link(declared(one, two))).result).toBe('replayed');
    expect((await ledger.link(declared(one, two, 'escalated-to'))).result).toBe('recorded');
    expect((await ledger.link(declared(two, one))).result).toBe('recorded');
    expect(await linksOf(one)).toHaveLength(3);
  });

  it('of what was derived already is a replay of that', async () => {
    const one = await fresh();
    const two = await ledger.end(await ledger.start({ causation_id: one }));
    expect(await ledger.link(declared(one, two))).toMatchObject({ result: 'replayed', record: { origin: 'derived' } });
  });

  it('keeps to the types of its ends, to two ends, and never says governed-by', async () => {
    const [one, two] = [await fresh(), await fresh()];
    const workflow = await ledger.end(await ledger.startExecution());
    expect(await codeOf(ledger.link(declared(one, one)))).toBe('lineage_invalid');
    expect(await codeOf(ledger.link(declared(one, two, 'governed-by')))).toBe('lineage_invalid');
    expect(await codeOf(ledger.link(declared(one, two, 'contributed-to')))).toBe('lineage_invalid');
    expect(await codeOf(ledger.link(declared(workflow, one, 'contributed-to')))).toBe('lineage_invalid');
    expect(await codeOf(ledger.link(declared(one, two, 'caused')))).toBe('lineage_invalid');
    expect((await ledger.link(declared(one, workflow, 'contributed-to'))).result).toBe('recorded');
    for (const relation of ['governed-by', 'contributed-to', 'caused']) {
      const bare = database.as(
        ledger.caller,
        (tx) => tx`insert into public.agent_lineage_links ${tx(declared(one, two, relation))}`,
      );
      expect(await codeOf(bare), relation).toBe('lineage_invalid');
    }
  });

  it('with an unknown or a foreign end is refused alike, byte for byte', async () => {
    const stranger = sqlLedger(database, { tenantId: await database.tenant(), ...ORCHESTRATOR });
    const theirs = await stranger.end(await stranger.start());
    const mine = await fresh();
    const answers = [];
    for (const other of [theirs, randomUUID()]) {
      for (const ends of [declared(mine, other), declared(other, mine)]) {
        const raised = await ledger
          .link(ends)
          .catch((error) => ({ code: error.code, message: error.message, detail: error.detail, hint: error.hint }));
        answers.push(raised);
      }
    }
    expect(answers[0]).toMatchObject({ code: 'PT404', message: 'unknown_outcome' });
    expect(answers.slice(2)).toEqual(answers.slice(0, 2));
  });

  it('is nobody’s but an orchestrator’s', async () => {
    const [one, two] = [await fresh(), await fresh()];
    for (const role of ['agent', 'worker', 'policy_guard', 'operator', 'auditor'] as const) {
      const asked = database.as({ tenantId, role, actorId: 'x' }, (tx) =>
        callIn(tx, 'declare_link', jsonb(declared(one, two))),
      );
      expect(await codeOf(asked), role).toBe('not_permitted');
    }
  });
});

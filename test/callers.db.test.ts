// Who is calling decides what there is: no tenant reads and writes nothing, and nobody learns of another's.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { WRITE_TABLES } from '../src/contract/roles.ts';
import { jsonb, text, uuid } from '../src/database/statement.ts';
import type { Claims } from './support/claims.ts';
import { useDatabase } from './support/database.ts';
import {
  type Document,
  envelopeFor,
  event,
  executionStart,
  invocationStart,
  sourceDefinition,
  toolCall,
  verification,
} from './support/envelopes.ts';
import { type FilledLedger, fillLedger, LEDGER_TABLES } from './support/filled-ledger.ts';
import { ACTOR, makeSubjects, rowFor, type Subjects } from './support/matrix.ts';
import { codeOf, readRefusal } from './support/refused.ts';
import { insertRow } from './support/rows.ts';
import { callIn } from './support/sql-ledger.ts';

const database = useDatabase();
let filled: FilledLedger;
let other: FilledLedger;
let subjects: Subjects;

beforeAll(async () => {
  filled = await fillLedger(database);
  other = await fillLedger(database);
  subjects = await makeSubjects(database, filled.tenantId, { source: true, started: true });
});

const about = (over: Document) => ({
  tenant_id: filled.tenantId,
  ledger_role: 'orchestrator',
  actor_id: ACTOR,
  ...over,
});
const without = (member: string) => {
  const { [member]: _, ...rest } = about({}) as Document;
  return rest;
};

/** Tokens that name no valid caller, however close they come. `T` stands for a real tenant's id. */
const NOBODY: [string, (T: string) => unknown][] = [
  ['no claims at all', () => undefined],
  ['no app_metadata', () => ({ sub: 'x', role: 'authenticated' })],
  ['an app_metadata that is no object', (T) => ({ app_metadata: T })],
  ['the tenant in user_metadata', (T) => ({ user_metadata: about({ tenant_id: T }) })],
  ['the tenant at the top', (T) => ({ ...about({ tenant_id: T }) })],
  ['no tenant', () => ({ app_metadata: without('tenant_id') })],
  ['no role', () => ({ app_metadata: without('ledger_role') })],
  ['no actor', () => ({ app_metadata: without('actor_id') })],
  ...(
    [
      ['a number', 12],
      ['an array', []],
      ['an object', {}],
      ['true', true],
      ['null', null],
      ['empty', ''],
      ['no uuid', 'abc'],
      ['a wildcard', '%'],
    ] as const
  ).flatMap(([word, value]): [string, (T: string) => unknown][] =>
    ['tenant_id', 'actor_id', 'ledger_role']
      .filter(
        (member) => member === 'tenant_id' || typeof value !== 'string' || (member === 'actor_id' && value === ''),
      )
      .map((member) => [`a ${member} that is ${word}`, () => ({ app_metadata: about({ [member]: value }) })]),
  ),
  ['the tenant in an array', (T) => ({ app_metadata: about({ tenant_id: [T] }) })],
  ['the tenant in upper case', (T) => ({ app_metadata: about({ tenant_id: T.toUpperCase() }) })],
  ['the tenant in braces', (T) => ({ app_metadata: about({ tenant_id: `{${T}}` }) })],
  ['the tenant without hyphens', (T) => ({ app_metadata: about({ tenant_id: T.replaceAll('-', '') }) })],
  ['the tenant with a space', (T) => ({ app_metadata: about({ tenant_id: ` ${T}` }) })],
  ['the tenant and a new line', (T) => ({ app_metadata: about({ tenant_id: `${T}\n` }) })],
  ['a tenant nobody made', () => ({ app_metadata: about({ tenant_id: randomUUID() }) })],
  ['claims that are a list', (T) => [{ app_metadata: about({ tenant_id: T }) }]],
  ['claims that are a string', (T) => T],
];

const as = <T>(claims: unknown, work: (tx: Parameters<typeof callIn>[0]) => Promise<T>) =>
  database.as(claims as Claims, work);

describe('a token with', () => {
  it.each(NOBODY)('%s reads nothing', async (_, make) => {
    const claims = make(filled.tenantId) ?? {};
    await as(claims, async (tx) => {
      for (const table of LEDGER_TABLES) expect((await tx.unsafe(`select from public.${table}`)).count, table).toBe(0);
      for (const table of ['tenants', 'retention_policies'])
        expect((await tx.unsafe(`select from public.${table}`)).count, table).toBe(0);
      for (const list of ['list_outcomes', 'list_invocations', 'list_executions', 'list_events', 'list_judgments']) {
        expect(await callIn(tx, list, jsonb({})), list).toEqual({ items: [], next_cursor: null });
      }
      expect(await callIn(tx, 'get_outcome', uuid(filled.invocationOutcome))).toBeNull();
      expect(await callIn(tx, 'get_judgment', uuid(filled.invocationOutcome))).toBeNull();
      expect(await callIn(tx, 'judgment_statistics', jsonb({}))).toEqual({ items: [] });
      expect(await callIn(tx, 'get_invocation', uuid(filled.invocation['invocation_id']))).toBeNull();
      expect(
        await callIn(tx, 'lineage_document', text('why'), uuid(filled.invocationOutcome), {
          type: 'integer',
          text: '5',
        }),
      ).toBeNull();
      expect((await tx`select from public.lineage_gaps()`).count).toBe(0);
      expect((await tx`select from ledger_internal.open_work_of_tenant()`).count).toBe(0);
      expect((await tx`select from public.outcome_judgments`).count).toBe(0);
      for (const kind of ['invocation', 'execution'])
        expect((await tx`select from ledger_internal.open_subjects(${kind})`).count).toBe(0);
    });
  });

  it.each(NOBODY)('%s writes nothing', async (_, make) => {
    const claims = make(filled.tenantId) ?? {};
    for (const [n, table] of WRITE_TABLES.entries()) {
      // Naming the tenant helps as little as leaving it to the default.
      const named = n % 2 ? { tenant_id: filled.tenantId } : {};
      const code = await as(claims, (tx) => insertRow(tx, table, { ...rowFor(table, subjects), ...named })).then(
        () => 'written',
        (error) => readRefusal(error).code,
      );
      expect(code, table).toMatch(/^(not_permitted|unknown_(tenant|hitl_request|invocation|execution|outcome))$/);
    }
    const calls: [string, ...Parameters<typeof callIn>[2][]][] = [
      ['start_invocation', jsonb(invocationStart())],
      ['start_execution', jsonb(executionStart())],
      ['record_agent_outcome', uuid(subjects.invocation['invocation_id']), jsonb(envelopeFor(subjects.invocation))],
      ['record_tool_call', jsonb(toolCall(subjects.invocation['invocation_id']))],
      ['heartbeat', uuid(subjects.invocation['invocation_id'])],
      ['record_verification', jsonb(verification(subjects.outcomes[0]))],
      ['assess_delivery', jsonb({ outcome_id: subjects.outcomes[0], assessment: 'delivered' })],
      ['record_integration', jsonb({ outcome_id: subjects.outcomes[0], reference: '0c0ffee' })],
      ['record_lifecycle', jsonb({ invocation_id: subjects.invocation['invocation_id'], lifecycle: 'waiting' })],
      ['pass_gate', jsonb({ ids: [subjects.outcomes[0]] })],
      ['register_event', jsonb(event())],
      ['put_source_definition', jsonb(sourceDefinition({ source_id: 'nobody' }))],
    ];
    for (const [name, ...args] of calls) {
      expect(await codeOf(as(claims, (tx) => callIn(tx, name, ...args))), name).toMatch(
        /^(not_permitted|unknown_(tenant|hitl_request|invocation|outcome|subject))$/,
      );
    }
  });

  // B046: what a user can edit of its own token is never read.
  it('one tenant in app_metadata and another in user_metadata is of the first alone', async () => {
    const claims = { app_metadata: about({}), user_metadata: about({ tenant_id: other.tenantId }) };
    const seen = await as(claims, (tx) => tx`select distinct tenant_id from public.agent_invocations`);
    expect(seen.map((row) => row['tenant_id'])).toEqual([filled.tenantId]);
    await database.sql.unsafe(`create policy "hole" on public.agent_invocations for select to authenticated
      using (tenant_id = (current_setting('request.jwt.claims')::jsonb #>> '{user_metadata,tenant_id}')::uuid)`);
    expect(await as(claims, (tx) => tx`select distinct tenant_id from public.agent_invocations`)).toHaveLength(2);
    await database.sql.unsafe('drop policy "hole" on public.agent_invocations');
  });

  it('a role of no meaning reads its tenant and writes nothing', async () => {
    for (const ledger_role of ['admin', 'service_role', 'AGENT', 'agent ']) {
      const claims = { app_metadata: about({ ledger_role }) };
      expect((await as(claims, (tx) => tx`select from public.agent_invocations`)).count).toBeGreaterThan(0);
      expect(
        await codeOf(
          as(claims, (tx) =>
            callIn(
              tx,
              'start_invocation',
              jsonb(invocationStart({ source: { id: ACTOR, version: '1.0.0', domain: 'art' } })),
            ),
          ),
        ),
        ledger_role,
      ).toBe('not_permitted');
    }
  });

  it('an actor that was disabled is nobody, before the token expires', async () => {
    const claims = { app_metadata: about({ actor_id: 'dismissed' }) };
    const start = () => as(claims, (tx) => callIn(tx, 'start_invocation', jsonb(invocationStart())));
    expect((await start()).result).toBe('recorded');
    await database.sql`insert into ledger_internal.disabled_actors (tenant_id, actor_id) values (${filled.tenantId}, 'dismissed')`;
    expect(await codeOf(start())).toBe('not_permitted');
    expect((await as(claims, (tx) => tx`select from public.agent_invocations`)).count).toBe(0);
    const there = { app_metadata: about({ actor_id: 'dismissed', tenant_id: other.tenantId }) };
    expect((await as(there, (tx) => tx`select from public.agent_invocations`)).count).toBeGreaterThan(0);
  });
});

// The database killed as in a power cut while 200 recordings are under way, restarted, everything retried: exactly one outcome
// each, and every caller holds that one.
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLedger, type Ledger } from '../src/client/index.ts';
import { type Stack, startStack } from '../src/stack/index.ts';
import { LOGIN_ROLES } from '../src/stack/role-passwords.ts';
import { writeSecrets } from '../src/stack/secrets.ts';
import { send } from './functions-client.ts';
import { type Document, envelopeFor, invocationStart } from './support/envelopes.ts';
import { useServer } from './support/server.ts';
import { PASSWORD } from './support/shared-server.ts';

const CALLERS = 200;
const KILLED_AFTER = [1, 20, 100];
const server = useServer();
let folder: string;
let stack: Stack;
let ledger: Ledger;
let authorization: string;
let tenantId: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'outcome-ledger-crash-'));
  await writeSecrets(folder, Object.fromEntries(LOGIN_ROLES.map((role) => [role, PASSWORD])));
  stack = await startStack({ dataDir: folder, databaseUrl: server.database.ownerUrl, quiet: true });
  tenantId = await server.database.tenant();
  const token = await stack.mintToken({ tenantId, role: 'orchestrator', actorId: 'os-orc-001' });
  authorization = `Bearer ${token}`;
  ledger = createLedger({ url: stack.functionsUrl, accessToken: token, retry: { attempts: 60, maxDelayMs: 500 } });
});
afterAll(async () => {
  await stack?.stop();
  if (folder) await rm(folder, { recursive: true, force: true });
});

/** Records over bare HTTP, as a script would: again and again the same request, until it is answered. */
async function recordByHand(start: Document): Promise<Document> {
  const body = { invocation_id: start['invocation_id'], outcome: envelopeFor(start) };
  for (;;) {
    const answer = await send(stack.functionsUrl, 'POST', '/outcomes', body, { authorization });
    if (answer.status === 201 || answer.status === 200) return answer.body;
    expect({ status: answer.status, code: answer.body?.code }).toEqual({ status: 503, code: 'database_unavailable' });
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Starts all calls, kills the server once `after` of them have been answered, starts it again, and waits for the rest. */
async function throughACrash<T>(calls: (() => Promise<T>)[], after: number): Promise<{ answers: T[]; before: number }> {
  let answered = 0;
  let crash: Promise<void> | undefined;
  let before = 0;
  const running = calls.map(async (call) => {
    const answer = await call();
    answered += 1;
    if (answered >= after && !crash) {
      crash = server.kill('immediate').then(() => {
        before = answered;
        return server.restart();
      });
    }
    return answer;
  });
  const answers = await Promise.all(running);
  await crash;
  return { answers, before };
}

async function expectOneEach(ids: string[], held: Document[]): Promise<void> {
  const sql = server.database.sql;
  const stands = await sql`
    select o.invocation_id, o.outcome_envelope as envelope from public.agent_invocation_outcomes o where o.invocation_id = any(${ids})`;
  expect(stands).toHaveLength(ids.length);
  const byId = new Map(stands.map((row) => [row['invocation_id'], row['envelope']]));
  for (const [n, id] of ids.entries()) expect(held[n], id).toEqual(byId.get(id));
  const outcomeIds = held.map((envelope) => envelope['outcome_id']);
  expect(new Set(outcomeIds).size).toBe(ids.length);
  const [counts] = await sql`
    select (select count(*)::int from public.outcome_ids where outcome_id = any(${outcomeIds})) as ids,
           (select count(*)::int from public.os_events where outcome_id = any(${outcomeIds})) as events,
           (select count(*)::int from public.outcome_ids i where i.tenant_id = ${tenantId}
             and not exists (select from ledger_internal.outcomes o where o.outcome_id = i.outcome_id)) as orphans,
           (select count(*)::int from ledger_internal.open_work where subject_id = any(${ids})) as open,
           (select count(*)::int from public.late_outcomes where tenant_id = ${tenantId}) as late`;
  expect(counts).toEqual({ ids: ids.length, events: ids.length, orphans: 0, open: 0, late: 0 });
}

describe('killed in the middle of recordings', () => {
  it.each(KILLED_AFTER)(
    'once %i were answered: one outcome each, held by every caller',
    { timeout: 180_000 },
    async (after) => {
      const starts = Array.from({ length: CALLERS }, () => invocationStart());
      for (let n = 0; n < CALLERS; n += 50)
        await Promise.all(starts.slice(n, n + 50).map((start) => ledger.invocations.start(start as never)));
      const calls = starts.map((start, n) => async (): Promise<Document> => {
        if (n % 2) return recordByHand(start);
        const { outcome } = await ledger.outcomes.record({
          invocation_id: start['invocation_id'],
          outcome: envelopeFor(start),
        } as never);
        return outcome as Document;
      });
      const { answers, before } = await throughACrash(calls, after);
      expect(before, 'killed too late to matter').toBeLessThan(CALLERS);
      await expectOneEach(
        starts.map((start) => start['invocation_id']),
        answers,
      );
    },
  );
});

describe('killed in the middle of runs', () => {
  it.each(KILLED_AFTER)(
    'once %i had ended: every function ran once and its outcome stands',
    { timeout: 180_000 },
    async (after) => {
      const ran = new Map<string, number>();
      const starts = Array.from({ length: CALLERS }, () => invocationStart());
      const calls = starts.map((start) => async (): Promise<Document> => {
        const run = await ledger.invocation(start as never, async (ctx) => {
          ran.set(ctx.invocationId, (ran.get(ctx.invocationId) ?? 0) + 1);
          return { allocated: ctx.invocationId };
        });
        expect(run.result).toEqual({ allocated: start['invocation_id'] });
        return run.outcome as Document;
      });
      const { answers } = await throughACrash(calls, after);
      expect([...ran.values()].every((times) => times === 1)).toBe(true);
      expect(ran.size).toBe(CALLERS);
      await expectOneEach(
        starts.map((start) => start['invocation_id']),
        answers,
      );
    },
  );
});

it('without the retries the callers would have been left without an answer', { timeout: 60_000 }, async () => {
  const start = invocationStart();
  await ledger.invocations.start(start as never);
  const impatient = createLedger({
    url: stack.functionsUrl,
    accessToken: authorization.slice(7),
    retry: { attempts: 1 },
  });
  await server.kill('immediate');
  const request = { invocation_id: start['invocation_id'], outcome: envelopeFor(start) } as never;
  await expect(impatient.outcomes.record(request)).rejects.toMatchObject({ code: 'database_unavailable' });
  await server.restart();
  const { outcome, replayed } = await ledger.outcomes.record(request);
  expect(replayed).toBe(false);
  expect((await ledger.outcomes.record(request)).outcome).toEqual(outcome);
});

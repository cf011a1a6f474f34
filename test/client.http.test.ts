import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  createLedger,
  type Ledger,
  LedgerConflictError,
  LedgerError,
  type LedgerOptions,
  newId,
  recordedOutcomeOf,
} from '../src/client/index.ts';
import type { LedgerRole } from '../src/stack/index.ts';
import { startCuttingProxy } from './support/cutting-proxy.ts';
import { useStack } from './support/stack.ts';

const stack = useStack();
const AGENT = { id: 'art-agt-003', version: '1.1.0', domain: 'art' };
const WORKFLOW = { id: 'WF-ART-003-EDITION-ALLOCATION', version: '1.1.0', domain: 'art' };

let tenantId: string;
let orchestrator: Ledger;

async function ledgerOf(role: LedgerRole, actorId: string, more: Partial<LedgerOptions> = {}): Promise<Ledger> {
  const accessToken = await stack.mintToken({ tenantId, role, actorId });
  return createLedger({ url: stack.functionsUrl, accessToken, ...more });
}

const newStart = (over: object = {}) => ({
  source: AGENT,
  correlation_id: `corr-${randomUUID()}`,
  causation_id: `event-${randomUUID()}`,
  ...over,
});

const thrownBy = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => expect.unreachable('it resolved'),
    (error: unknown) => error,
  );

beforeAll(async () => {
  tenantId = (await stack.createTenant({ open: true })).tenantId;
  orchestrator = await ledgerOf('orchestrator', 'orc-1');
});

describe('an invocation', () => {
  test('has its start row first, tool calls and events between, and exactly one outcome', async () => {
    const start = newStart();
    const run = await orchestrator.invocation(start, async (ctx) => {
      expect((await orchestrator.invocations.get(ctx.invocationId)).state).toBe('running');
      const reserved = await ctx.toolCall('inventory.reserve', { edition: 7 }, async () => ({ reserved: true }));
      expect(reserved).toEqual({ reserved: true });
      const eventId = await ctx.emit('art.edition.reserved', { edition: 7 });
      expect(await orchestrator.events.get(eventId)).toMatchObject({
        type: 'art.edition.reserved',
        kind: 'registered',
      });
      ctx.quality({ confidence: 0.9 });
      return { allocated_editions: 45 };
    });
    expect(run).toMatchObject({ status: 'success', result: { allocated_editions: 45 }, replayed: false });
    const outcome = await orchestrator.outcomes.get(run.outcome.outcome_id);
    expect(outcome).toMatchObject({ ...run.outcome, origin: 'recorded', timing_drift_ms: 0 });
    const invocation = await orchestrator.invocations.get(outcome.invocation_id ?? '');
    expect(invocation).toMatchObject({
      state: 'ended',
      outcome_id: run.outcome.outcome_id,
      tool_calls: [{ tool_name: 'inventory.reserve', status: 'succeeded', output: { reserved: true } }],
    });
  });

  test('that throws is a failure with what the error says, and the error comes back', async () => {
    const boom = Object.assign(new Error(`inventory lock \0 ${'😀'.repeat(3_000)}\ud83d`), {
      code: 'INVENTORY_LOCK',
      recoverable: true,
      retry_after_ms: 5_000,
    });
    const error = await thrownBy(orchestrator.invocation(newStart(), async () => Promise.reject(boom)));
    expect(error).toBe(boom);
    const recorded = recordedOutcomeOf(error);
    const kept = await orchestrator.outcomes.get(recorded?.outcome_id ?? '');
    expect(kept).toMatchObject({
      status: 'failure',
      result: null,
      errors: [{ code: 'INVENTORY_LOCK', recoverable: true, retry_after_ms: 5_000 }],
    });
    expect(kept.errors[0]?.message).toMatch(/^inventory lock \uFFFD/);
  });

  test('that is aborted is a failure CANCELED', async () => {
    const controller = new AbortController();
    const invocation_id = newId();
    const error = await thrownBy(
      orchestrator.invocation(
        newStart({ invocation_id }),
        async () => {
          controller.abort(new Error('the user left'));
          await new Promise(() => {});
          return {};
        },
        { signal: controller.signal, abortGraceMs: 20 },
      ),
    );
    expect((error as Error).message).toBe('the user left');
    const { outcome } = await orchestrator.invocations.get(invocation_id);
    expect(outcome).toMatchObject({ status: 'failure', errors: [{ code: 'CANCELED', message: 'the user left' }] });
  });

  test('every verdict is accepted by the ledger', async () => {
    const escalation = { reason: 'low confidence', escalation_target: 'os-agt-004', escalation_path_id: 'path-1' };
    const runs = [
      await orchestrator.invocation(newStart(), (ctx) => ctx.partial({ n: 1 }, [{ code: 'SOME', message: 'some' }])),
      await orchestrator.invocation(newStart(), (ctx) => ctx.fail('NO_STOCK', 'none left')),
      await orchestrator.invocation(newStart(), (ctx) => ctx.timeout()),
      await orchestrator.invocation(newStart(), (ctx) => ctx.skip('branch not taken')),
      await orchestrator.invocation(newStart(), (ctx) => ctx.escalate(escalation)),
    ];
    expect(runs.map(({ status }) => status)).toEqual(['partial', 'failure', 'timeout', 'skipped', 'escalated']);
    const skipped = runs[3]?.outcome;
    const { items } = await orchestrator.events.list({ correlation_id: skipped?.correlation_id ?? '' });
    expect(items.map(({ type }) => type).sort()).toEqual(['invocation.skipped', 'os.outcome.skipped']);
  });

  test('sends heartbeats while it runs', async () => {
    let seen: string | null = null;
    await orchestrator.invocation(
      newStart(),
      async (ctx) => {
        await expect
          .poll(
            async () => {
              seen = (await orchestrator.invocations.get(ctx.invocationId)).heartbeat_at;
              return seen;
            },
            { timeout: 10_000 },
          )
          .not.toBeNull();
        return {};
      },
      { heartbeat: { everyMs: 50 } },
    );
    expect(Date.parse(seen ?? '')).toBeGreaterThan(Date.now() - 60_000);
  });

  test('whose recorded decision governs it carries that decision', async () => {
    const guard = await ledgerOf('policy_guard', 'os-agt-002');
    const decide = (invocation_id: string, decision: 'allow' | 'block') =>
      guard.policy.decide({
        invocation_id,
        decision,
        risk_score: 0.08,
        requires_hitl: false,
        evaluated_at: new Date().toISOString(),
      });
    const allowed = await orchestrator.invocation(newStart(), async (ctx) => {
      ctx.governedBy((await decide(ctx.invocationId, 'allow')).record);
      return { n: 1 };
    });
    expect(allowed.outcome.policy).toMatchObject({ decision: 'allow', risk_score: 0.08 });
    const blocked = await orchestrator.invocation(newStart(), async (ctx) => {
      ctx.governedBy((await decide(ctx.invocationId, 'block')).record);
      return ctx.blocked('not today');
    });
    expect(blocked).toMatchObject({ status: 'blocked', outcome: { policy: { decision: 'block' } } });
    const forgot = (await thrownBy(
      orchestrator.invocation(newStart(), async (ctx) => {
        await decide(ctx.invocationId, 'allow');
        return { n: 2 };
      }),
    )) as LedgerError;
    expect(forgot).toMatchObject({ code: 'policy_mismatch', result: { n: 2 } });
  });

  test('of another agent is refused to an agent, and nothing runs', async () => {
    const agent = await ledgerOf('agent', 'another-agent');
    let ran = false;
    const error = await thrownBy(
      agent.invocation(newStart(), async () => {
        ran = true;
        return {};
      }),
    );
    expect(error).toBeInstanceOf(LedgerError);
    expect(error).toMatchObject({ code: 'not_permitted', status: 403 });
    expect(ran).toBe(false);
  });

  test('with a result its definition refuses ends in a recorded failure', async () => {
    const operator = await ledgerOf('operator', 'op-1');
    const source = { id: `typed-${randomUUID()}`, version: '1.0.0', domain: 'art' };
    await operator.definitions.put({
      source_type: 'agent',
      source_id: source.id,
      version: source.version,
      domain: 'art',
      output_schema: { type: 'object', required: ['n'], properties: { n: { type: 'integer' } } },
    });
    const good = await orchestrator.invocation(newStart({ source }), async () => ({ n: 1 }));
    expect(good.status).toBe('success');
    const error = (await thrownBy(
      orchestrator.invocation(newStart({ source }), async () => ({ n: 'x' })),
    )) as LedgerError;
    expect(error).toMatchObject({ code: 'result_schema_mismatch', result: { n: 'x' } });
    expect(recordedOutcomeOf(error)).toMatchObject({ status: 'failure', errors: [{ code: 'RESULT_SCHEMA_MISMATCH' }] });
  });
});

describe('one call, however often it is sent', () => {
  test('a reply lost after the commit: the same outcome, one row of each', async () => {
    const proxy = await startCuttingProxy(stack.functionsUrl, ({ nth, method }) => method === 'POST' && nth === 1);
    try {
      const ledger = await ledgerOf('orchestrator', 'orc-1', { url: proxy.url, retry: { baseDelayMs: 5 } });
      const start = { ...newStart(), causation_id: undefined, trigger: { type: 'order.placed', source: 'shop' } };
      const run = await ledger.invocation(start, async (ctx) => {
        await ctx.emit('order.checked', { n: 1 });
        await ctx.toolCall('look', null, () => 1);
        return { n: 1 };
      });
      expect(proxy.cut).toHaveLength(4);
      const { correlation_id } = start;
      const { items: outcomes } = await orchestrator.outcomes.list({ correlation_id });
      expect(outcomes.map(({ outcome_id }) => outcome_id)).toEqual([run.outcome.outcome_id]);
      const { items: starts } = await orchestrator.invocations.list({ correlation_id });
      expect(starts).toHaveLength(1);
      expect((await orchestrator.invocations.get(starts[0]?.invocation_id ?? '')).tool_calls).toHaveLength(1);
      const { items: events } = await orchestrator.events.list({ correlation_id });
      expect(events.map(({ type }) => type).sort()).toEqual(['order.checked', 'order.placed', 'os.outcome.succeeded']);

      const next = await ledger.invocation({ ...start, trigger: { ...start.trigger } }, async () => ({ n: 2 }));
      expect(next.outcome.outcome_id).not.toBe(run.outcome.outcome_id);
    } finally {
      await proxy.stop();
    }
  });

  test('the same envelope again is a replay; another one names the winner', async () => {
    const { record } = await orchestrator.invocations.start(newStart());
    const outcome = {
      outcome_version: '1.0' as const,
      status: 'success' as const,
      correlation_id: record.correlation_id,
      causation_id: record.causation_id,
      source: record.source,
      result: { n: 1 },
      timing: { started_at: '2026-05-20T10:00:00.000Z', completed_at: '2026-05-20T10:00:00.042Z', duration_ms: 42 },
    };
    const request = { invocation_id: record.invocation_id, outcome };
    const first = await orchestrator.outcomes.record(request);
    expect(first.replayed).toBe(false);
    expect(await orchestrator.outcomes.record(request)).toEqual({ outcome: first.outcome, replayed: true });
    const other = { ...request, outcome: { ...outcome, result: { n: 2 } } };
    const error = (await thrownBy(orchestrator.outcomes.record(other))) as LedgerConflictError;
    expect(error).toBeInstanceOf(LedgerConflictError);
    expect(error).toMatchObject({ code: 'outcome_conflict', outcomeId: first.outcome.outcome_id });
    const { late } = await orchestrator.outcomes.get(first.outcome.outcome_id);
    expect(late).toMatchObject([{ outcome: { result: { n: 2 } } }]);
  });

  test('two processes with the same invocation id: one outcome; the other keeps its result', async () => {
    const start = newStart({ invocation_id: newId() });
    const settled = await Promise.allSettled(
      [1, 2].map((n) =>
        orchestrator.invocation(start, async () => {
          await new Promise((resolve) => setTimeout(resolve, 100 + 50 * n));
          return { n };
        }),
      ),
    );
    const won = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    const lost = settled.flatMap((one) => (one.status === 'rejected' ? [one.reason] : []));
    expect(won).toHaveLength(1);
    expect(lost).toHaveLength(1);
    expect(lost[0]).toBeInstanceOf(LedgerConflictError);
    expect(lost[0]).toMatchObject({
      outcomeId: won[0]?.outcome.outcome_id,
      result: { n: won[0]?.result?.n === 1 ? 2 : 1 },
    });

    const third = await orchestrator.invocation(start, async () => expect.unreachable('it ran'));
    expect(third).toMatchObject({ replayed: true, outcome: won[0]?.outcome, result: won[0]?.result });
  });
});

describe('lineage', () => {
  test('a nested chain is told by why and impact, in both directions', async () => {
    const ids: string[] = [];
    const start = newStart();
    const outer = await orchestrator.invocation(start, async (ctx) => {
      const middle = await ctx.invocation({ source: AGENT }, async (inner) => {
        const eventId = await inner.emit('art.edition.checked');
        const last = await inner.invocation({ source: AGENT, causation_id: eventId }, async () => ({ depth: 3 }));
        ids.push(last.outcome.outcome_id);
        return { depth: 2 };
      });
      ids.push(middle.outcome.outcome_id);
      return { depth: 1 };
    });
    ids.push(outer.outcome.outcome_id);
    const why = await orchestrator.lineage.why(ids[0] ?? '');
    expect(why.nodes.map(({ outcome_id, depth }) => [outcome_id, depth])).toEqual(ids.map((id, depth) => [id, depth]));
    expect(why.truncated).toBe(false);
    const impact = await orchestrator.lineage.impact(outer.outcome.outcome_id, { maxDepth: 1 });
    expect(impact.nodes.map(({ outcome_id }) => outcome_id)).toEqual([ids[2], ids[1]]);
    expect(impact.truncated).toBe(true);
    const correlation = await orchestrator.lineage.correlation(start.correlation_id);
    expect(correlation.nodes.map(({ outcome_id }) => outcome_id).sort()).toEqual([...ids].sort());
    expect(correlation.open).toEqual([]);
  });

  test('an execution: its agents contribute, and are counted', async () => {
    const start = { ...newStart({ source: WORKFLOW }), execution_pattern: 'fan-out-fan-in' };
    const run = await orchestrator.execution(start, async (ctx) => {
      const tasks = [1, 2, 3, 4].map((n) =>
        ctx.invocation({ source: AGENT, step_id: `allocate-${n}` }, async () => {
          if (n > 2) throw new Error('locked');
          return { n };
        }),
      );
      const settled = await Promise.allSettled(tasks);
      const done = settled.filter(({ status }) => status === 'fulfilled').length;
      return ctx.partial({ done }, [{ code: 'PARTIAL_ALLOCATION_FAILURE', message: 'some were locked' }]);
    });
    expect(run.outcome.execution_context).toMatchObject({ parallel_task_count: 4, partial_failure_count: 2 });
    const { nodes } = await orchestrator.lineage.why(run.outcome.outcome_id, { maxDepth: 1 });
    expect(nodes.filter(({ relation }) => relation === 'contributed-to')).toHaveLength(4);
    const execution = await orchestrator.executions.get(
      (await orchestrator.outcomes.get(run.outcome.outcome_id)).execution_id ?? '',
    );
    expect(execution).toMatchObject({ status: 'completed', state: 'ended' });
  });

  test('nested workflows, each pattern', async () => {
    const parent = { ...newStart({ source: WORKFLOW }), execution_pattern: 'hierarchical' };
    const run = await orchestrator.execution(parent, async (ctx) => {
      await ctx.execution({ source: WORKFLOW, execution_pattern: 'consensus' }, async () => ({
        result: { agreed: true },
        execution_context: { quorum_achieved: '5-of-7' },
      }));
      const failed = ctx.execution({ source: WORKFLOW, execution_pattern: 'sequential' }, (child) =>
        child.fail('NO', 'no'),
      );
      expect((await failed).status).toBe('failure');
      await ctx.emit('art.allocation.agreed', { by: 5 });
      return { result: { children: 2 } };
    });
    expect(run.outcome.execution_context?.sub_workflow_outcomes).toHaveLength(2);
    const nameless = await thrownBy(
      orchestrator.execution(newStart({ source: WORKFLOW }), async () => ({ result: {} })),
    );
    expect(nameless).toMatchObject({ code: 'request_invalid', violations: [{ path: '/execution_pattern' }] });
    const operator = await ledgerOf('operator', 'op-1');
    const source = { id: `WF-${randomUUID()}`, version: '1.0.0', domain: 'art' };
    await operator.definitions.put({
      source_type: 'workflow',
      source_id: source.id,
      version: source.version,
      domain: 'art',
      execution_pattern: 'sequential',
    });
    const defined = await orchestrator.execution(newStart({ source }), async () => ({ result: { n: 1 } }));
    expect(defined.outcome.execution_context?.execution_pattern).toBe('sequential');
  });

  test('gaps and declared links', async () => {
    const [a, b] = await Promise.all([1, 2].map((n) => orchestrator.invocation(newStart(), async () => ({ n }))));
    const link = {
      source_outcome_id: a?.outcome.outcome_id ?? '',
      target_outcome_id: b?.outcome.outcome_id ?? '',
      relation: 'invoked' as const,
    };
    const first = await orchestrator.lineage.link(link);
    expect(first).toMatchObject({ replayed: false, record: { ...link, origin: 'declared' } });
    expect(await orchestrator.lineage.link(link)).toMatchObject({
      replayed: true,
      record: { link_id: first.record.link_id },
    });
    const gaps = await orchestrator.lineage.gaps({ gap: 'unresolved_causation', limit: 5 });
    expect(gaps.items.length).toBeGreaterThan(0);
    expect(gaps.items.every(({ gap }) => gap === 'unresolved_causation')).toBe(true);
  });
});

describe('reads', () => {
  test('health, definitions, validate, unknown ids', async () => {
    expect(await orchestrator.health()).toMatchObject({ fingerprint: expect.any(String), status: expect.any(String) });
    const operator = await ledgerOf('operator', 'op-1');
    const definition = {
      source_type: 'workflow' as const,
      source_id: `wf ${randomUUID()}/ü`,
      version: '1.0.0',
      domain: 'art',
      execution_pattern: 'sequential',
    };
    expect(await operator.definitions.put(definition)).toMatchObject({ replayed: false, record: definition });
    expect(await operator.definitions.put(definition)).toMatchObject({ replayed: true });
    const read = await orchestrator.definitions.get('workflow', definition.source_id, '1.0.0');
    expect(read).toMatchObject(definition);
    expect(await orchestrator.outcomes.validate('{"status": "success", "status": "failure"}')).toMatchObject({
      valid: false,
      violations: [{ path: '/status' }],
    });
    expect(await thrownBy(orchestrator.outcomes.get(newId()))).toMatchObject({ code: 'unknown_outcome', status: 404 });
    expect(await thrownBy(orchestrator.invocations.get(newId()))).toMatchObject({ code: 'unknown_invocation' });
    expect(await thrownBy(orchestrator.events.get('health'))).toMatchObject({ code: 'unknown_event' });
  });
});

describe('many at once', () => {
  test('1,000 recordings through a batcher: each its own outcome, pages complete, a retry is a replay', async () => {
    const batched = await ledgerOf('orchestrator', 'orc-1', { batch: { maxItems: 100, maxDelayMs: 5 } });
    const correlation_id = `corr-${randomUUID()}`;
    const runs = await Promise.all(
      Array.from({ length: 1_000 }, (_, n) =>
        batched.invocation({ ...newStart({ correlation_id }) }, async () => ({ n }), { heartbeat: false }),
      ),
    );
    await batched.close();
    expect(new Set(runs.map(({ outcome }) => outcome.outcome_id)).size).toBe(1_000);
    expect(runs.every(({ outcome }, n) => outcome.result?.['n'] === n)).toBe(true);

    const listed: string[] = [];
    for await (const outcome of orchestrator.outcomes.list({ correlation_id, limit: 300, order: 'asc' })) {
      listed.push(outcome.outcome_id);
    }
    expect(new Set(listed)).toEqual(new Set(runs.map(({ outcome }) => outcome.outcome_id)));
    expect(listed).toHaveLength(1_000);
  }, 180_000);

  test('recordMany: one bad item harms no other', async () => {
    const starts = await Promise.all([1, 2, 3].map(() => orchestrator.invocations.start(newStart())));
    const requests = starts.map(({ record }, n) => ({
      invocation_id: n === 1 ? newId() : record.invocation_id,
      outcome: {
        outcome_version: '1.0' as const,
        status: 'success' as const,
        correlation_id: record.correlation_id,
        causation_id: record.causation_id,
        source: record.source,
        result: { n },
        timing: { started_at: '2026-05-20T10:00:00Z', completed_at: '2026-05-20T10:00:01Z', duration_ms: 1_000 },
      },
    }));
    const answers = await orchestrator.outcomes.recordMany(requests);
    expect(answers.map(({ ok }) => ok)).toEqual([true, false, true]);
    expect(answers[1]).toMatchObject({ error: { code: 'unknown_invocation', status: 404 } });
    const again = await orchestrator.outcomes.recordMany(requests);
    expect(again.filter((answer) => answer.ok).map((answer) => answer.ok && answer.replayed)).toEqual([true, true]);
  });
});

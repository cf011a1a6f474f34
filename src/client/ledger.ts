import type { AccessToken } from './access-token.ts';
import type { BatcherOptions } from './batcher.ts';
import type { ExecutionFunction, InvocationFunction } from './contexts.ts';
import { type ActorCredentials, accessTokenOf } from './credentials.ts';
import type { ExecutionStart, Health, InvocationStart } from './documents.ts';
import { runExecution } from './execution-run.ts';
import { type Artifacts, artifacts } from './groups/artifacts.ts';
import { type Definitions, definitions } from './groups/definitions.ts';
import { type Events, events } from './groups/events.ts';
import { type Executions, executions } from './groups/executions.ts';
import { type Invocations, invocations } from './groups/invocations.ts';
import { type Judgments, judgments } from './groups/judgments.ts';
import { type Lineage, lineage } from './groups/lineage.ts';
import { type Outcomes, outcomes } from './groups/outcomes.ts';
import { type PolicyGroup, policy } from './groups/policy.ts';
import { type Statistics, statistics } from './groups/statistics.ts';
import { runInvocation } from './invocation-run.ts';
import { outcomeBatcher, startBatcher } from './outcome-batcher.ts';
import type { RetryOptions } from './retry.ts';
import type { InvocationOptions, Run, RunOptions } from './run-options.ts';
import type { RunLedger } from './subject-parts.ts';
import { createTransport } from './transport.ts';

export interface LedgerOptions {
  /** The project (`https://ref.supabase.co`) or its functions (`http://127.0.0.1:54321/functions/v1`). */
  url: string;
  /** The project's publishable key, where its gateway asks for one. Never a secret key: the token decides. */
  apiKey?: string;
  /** The caller's token, or what fetches the current one; a function is asked before every request. Or give `actor`. */
  accessToken?: AccessToken;
  /** An actor's credentials instead: the client signs in with Supabase Auth and keeps the token fresh, in memory only. */
  actor?: ActorCredentials;
  /** Another `fetch`, for proxies and tests. */
  fetch?: typeof fetch;
  retry?: RetryOptions;
  /** Gather the starts and outcomes of this ledger's calls and runs into batches. Close the ledger at the end. */
  batch?: BatcherOptions | boolean;
}

export interface Ledger {
  readonly invocations: Invocations;
  readonly executions: Executions;
  readonly outcomes: Outcomes;
  readonly events: Events;
  readonly policy: PolicyGroup;
  readonly definitions: Definitions;
  readonly lineage: Lineage;
  readonly artifacts: Artifacts;
  readonly judgments: Judgments;
  readonly statistics: Statistics;
  /**
   * Runs `fn` as one agent invocation: the start row before it, exactly one outcome after it. Resolves with the
   * recorded envelope beside the result; throws what `fn` threw, once the failure is recorded.
   */
  invocation<T extends object>(
    start: InvocationStart,
    fn: InvocationFunction<T>,
    options?: InvocationOptions,
  ): Promise<Run<T>>;
  /** The same for a workflow execution; `fn` returns `{ result, … }`. */
  execution<T extends object>(start: ExecutionStart, fn: ExecutionFunction<T>, options?: RunOptions): Promise<Run<T>>;
  /** The ledger's own word on its health; resolves also when that is bad. */
  health(): Promise<Health>;
  /** With `batch`: sends what is waiting and resolves when it has been answered. */
  flush(): Promise<void>;
  /** Flushes and takes no more. */
  close(): Promise<void>;
}

/** A client of one ledger, acting as the owner of one token. Opens nothing until the first call. */
export function createLedger(options: LedgerOptions): Ledger {
  const transport = createTransport({ ...options, accessToken: accessTokenOf(options) });
  const { retry } = options;
  const batch = options.batch === true ? {} : options.batch || undefined;
  const starts = batch && startBatcher(transport, retry, batch);
  const ends = batch && outcomeBatcher(transport, retry, batch);
  const parts: RunLedger = {
    invocations: invocations(transport, starts),
    executions: executions(transport),
    outcomes: outcomes(transport, retry, ends),
    events: events(transport),
    invocation: (start, fn, runOptions, signal) => runInvocation(parts, start, fn, runOptions, signal),
    execution: (start, fn, runOptions, signal) => runExecution(parts, start, fn, runOptions, signal),
  };
  return {
    ...parts,
    policy: policy(transport),
    definitions: definitions(transport),
    lineage: lineage(transport),
    artifacts: artifacts(transport),
    judgments: judgments(transport),
    statistics: statistics(transport),
    async health() {
      const call = { method: 'GET', path: 'outcomes/health', alsoAnswers: 503, retry: { attempts: 1 } } as const;
      return (await transport.call<Health>(call)).data;
    },
    async flush() {
      await Promise.all([starts?.flush(), ends?.flush()]);
    },
    async close() {
      await Promise.all([starts?.close(), ends?.close()]);
    },
  };
}

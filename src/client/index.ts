// The agents' SDK. Runs unchanged on Node, Deno and in browsers.
export { phasePrompt } from '../contract/phase-report/prompt.ts';
export type { AccessToken } from './access-token.ts';
export type { Batcher, BatcherOptions } from './batcher.ts';
export type {
  ExecutionContext,
  ExecutionFunction,
  ExecutionReturn,
  InvocationContext,
  InvocationFunction,
  InvocationReturn,
} from './contexts.ts';
export type { ActorCredentials } from './credentials.ts';
export type * from './documents.ts';
export type { ClientErrorCode } from './errors.ts';
export { LedgerConflictError, LedgerError, LedgerUnreachableError } from './errors.ts';
export { recordedOutcomeOf, recordingErrorOf } from './faults-of-runs.ts';
export type * from './filters.ts';
export type { Artifacts } from './groups/artifacts.ts';
export type { Definitions } from './groups/definitions.ts';
export type { Events } from './groups/events.ts';
export type { Executions } from './groups/executions.ts';
export type { Invocations, ToolCallInput } from './groups/invocations.ts';
export type { Judgments } from './groups/judgments.ts';
export type { DepthOptions, Lineage } from './groups/lineage.ts';
export type { Outcomes, RecordedItem } from './groups/outcomes.ts';
export type { PolicyGroup } from './groups/policy.ts';
export type { Statistics } from './groups/statistics.ts';
export type { HeartbeatOptions } from './heartbeat.ts';
export { newId } from './identity.ts';
export type * from './judgment-documents.ts';
export { createLedger, type Ledger, type LedgerOptions } from './ledger.ts';
export type { NestedExecutionStart, NestedInvocationStart } from './nested.ts';
export type { Listing, Page } from './pages.ts';
export type * from './phase-documents.ts';
export type { RetryOptions } from './retry.ts';
export type { InvocationOptions, Run, RunOptions } from './run-options.ts';
export type { GoverningDecision } from './run-state.ts';
export type { ToolCallOptions } from './tool-call.ts';
export type { ErrorInput, FailOptions, Verdict, Verdicts } from './verdict.ts';

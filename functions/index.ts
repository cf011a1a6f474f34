// Every function by its name, for whoever serves them in one process.
import type { LedgerApp, LedgerFunction } from './_shared/app.ts';
import type { FunctionDeps } from './_shared/deps.ts';
import { createApp as createArtifacts } from './artifacts/app.ts';
import { ARTIFACTS } from './artifacts/routes.ts';
import { createApp as createDefinitions } from './definitions/app.ts';
import { DEFINITIONS } from './definitions/routes.ts';
import { createApp as createEvents } from './events/app.ts';
import { EVENTS } from './events/routes.ts';
import { createApp as createExecutions } from './executions/app.ts';
import { EXECUTIONS } from './executions/routes.ts';
import { createApp as createInvocations } from './invocations/app.ts';
import { INVOCATIONS } from './invocations/routes.ts';
import { createApp as createJudgments } from './judgments/app.ts';
import { JUDGMENTS } from './judgments/routes.ts';
import { createApp as createLineage } from './lineage/app.ts';
import { LINEAGE } from './lineage/routes.ts';
import { createApp as createOutcomes } from './outcomes/app.ts';
import { OUTCOMES } from './outcomes/routes.ts';
import { createApp as createPolicy } from './policy/app.ts';
import { POLICY } from './policy/routes.ts';
import { createApp as createStatistics } from './statistics/app.ts';
import { STATISTICS } from './statistics/routes.ts';

export type { LedgerApp, LedgerFunction } from './_shared/app.ts';
export type { Environment } from './_shared/config.ts';
export { createDeps, type FunctionDeps, type LogEntry } from './_shared/deps.ts';

/** Makes each function over the same dependencies; `fetch` takes `/<name>/…`. */
export const FUNCTIONS: Readonly<Record<string, (deps: FunctionDeps) => LedgerApp>> = {
  definitions: createDefinitions,
  invocations: createInvocations,
  outcomes: createOutcomes,
  executions: createExecutions,
  events: createEvents,
  policy: createPolicy,
  lineage: createLineage,
  artifacts: createArtifacts,
  judgments: createJudgments,
  statistics: createStatistics,
};

/** What each function says of itself, in the order of the documents. */
export const FUNCTION_DEFINITIONS: readonly LedgerFunction[] = [
  DEFINITIONS,
  INVOCATIONS,
  OUTCOMES,
  EXECUTIONS,
  EVENTS,
  POLICY,
  LINEAGE,
  ARTIFACTS,
  JUDGMENTS,
  STATISTICS,
];

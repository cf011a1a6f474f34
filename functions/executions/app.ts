import { createLedgerApp, type LedgerApp } from '../_shared/app.ts';
import type { FunctionDeps } from '../_shared/deps.ts';
import { EXECUTIONS } from './routes.ts';

/** The `executions` function over its dependencies. */
export function createApp(deps: FunctionDeps): LedgerApp {
  return createLedgerApp(EXECUTIONS, deps);
}

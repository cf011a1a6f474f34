import { createLedgerApp, type LedgerApp } from '../_shared/app.ts';
import type { FunctionDeps } from '../_shared/deps.ts';
import { INVOCATIONS } from './routes.ts';

/** The `invocations` function over its dependencies. */
export function createApp(deps: FunctionDeps): LedgerApp {
  return createLedgerApp(INVOCATIONS, deps);
}

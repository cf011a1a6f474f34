import { createLedgerApp, type LedgerApp } from '../_shared/app.ts';
import type { FunctionDeps } from '../_shared/deps.ts';
import { POLICY } from './routes.ts';

/** The `policy` function over its dependencies. */
export function createApp(deps: FunctionDeps): LedgerApp {
  return createLedgerApp(POLICY, deps);
}

import { createLedgerApp, type LedgerApp } from '../_shared/app.ts';
import type { FunctionDeps } from '../_shared/deps.ts';
import { LINEAGE } from './routes.ts';

/** The `lineage` function over its dependencies. */
export function createApp(deps: FunctionDeps): LedgerApp {
  return createLedgerApp(LINEAGE, deps);
}

import { createLedgerApp, type LedgerApp } from '../_shared/app.ts';
import type { FunctionDeps } from '../_shared/deps.ts';
import { EVENTS } from './routes.ts';

/** The `events` function over its dependencies. */
export function createApp(deps: FunctionDeps): LedgerApp {
  return createLedgerApp(EVENTS, deps);
}

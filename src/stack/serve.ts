import { createDeps, FUNCTIONS } from '../../functions/index.ts';
import type { FetchApp } from './http-server.ts';

export type ServedFunctions = { functions: Record<string, FetchApp>; close(): Promise<void> };

/** The edge functions' apps over one set of dependencies (one pool, one key set), as one process serves them. */
export function serveFunctions(env: Record<string, string | undefined>): ServedFunctions {
  const deps = createDeps(env);
  const functions = Object.fromEntries(Object.entries(FUNCTIONS).map(([name, create]) => [name, create(deps)]));
  return { functions, close: () => deps.close() };
}

import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type LedgerRole, type Stack, startStack } from '../../src/stack/index.ts';
import { LOGIN_ROLES } from '../../src/stack/role-passwords.ts';
import { writeSecrets } from '../../src/stack/secrets.ts';
import { type OpenDatabase, openDatabase, sharedAccess, type TestDatabase } from './database.ts';
import { type DenoFunctions, startDenoFunctions } from './deno-functions.ts';
import { PASSWORD } from './shared-server.ts';

/** A running stack of a test file's own, over a database cloned from the template. */
export interface TestStack extends Stack {
  readonly database: TestDatabase;
  /** `Authorization` header of an actor. */
  bearer(caller: { tenantId: string; role: LedgerRole; actorId: string }): Promise<{ authorization: string }>;
}

// Where set, the functions are those of this folder, run by Deno as on the platform, instead of the stack's own.
const FUNCTIONS_ROOT = process.env['OUTCOME_LEDGER_FUNCTIONS_ROOT'];

/** Gives the test file a stack (functions over HTTP on a free port), stopped after its tests. */
export function useStack(options: { functionsEnv?: Record<string, string> } = {}): TestStack {
  let database: OpenDatabase | undefined;
  let stack: Stack | undefined;
  let folder: string | undefined;
  let deno: DenoFunctions | undefined;
  beforeAll(async () => {
    database = await openDatabase(await sharedAccess());
    folder = await mkdtemp(path.join(os.tmpdir(), 'outcome-ledger-stack-'));
    // The roles belong to the whole shared server: a stack that gave them passwords of its own would lock out the rest.
    await writeSecrets(folder, Object.fromEntries(LOGIN_ROLES.map((role) => [role, PASSWORD])));
    stack = await startStack({
      dataDir: folder,
      databaseUrl: database.ownerUrl,
      quiet: true,
      // Tests of deadlines and of webhooks start the workers that they are about.
      workers: false,
      ...options,
    });
    if (FUNCTIONS_ROOT) {
      deno = await startDenoFunctions({
        root: FUNCTIONS_ROOT,
        env: {
          LEDGER_DATABASE_URL: stack.gatewayUrl,
          LEDGER_JWKS_URL: stack.jwksUrl,
          LEDGER_JWT_ISSUER: stack.issuer,
          LEDGER_JWT_AUDIENCE: 'authenticated',
          ...options.functionsEnv,
        },
      });
    }
  });
  afterAll(async () => {
    await deno?.stop();
    await stack?.stop();
    await database?.close();
    if (folder) await rm(folder, { recursive: true, force: true });
  });
  return new Proxy({} as TestStack, {
    get(_target, member) {
      if (!stack || !database) throw new Error(`useStack(): "${String(member)}" is read before beforeAll has run`);
      const running = stack;
      if (member === 'database') return database;
      if (member === 'functionsUrl' && deno) return deno.url;
      if (member === 'bearer') {
        return async (caller: Parameters<TestStack['bearer']>[0]) => ({
          authorization: `Bearer ${await running.mintToken(caller)}`,
        });
      }
      return running[member as keyof Stack];
    },
  });
}

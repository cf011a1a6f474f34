import type { Command } from 'commander';
import { withDatabase } from '../database.ts';
import { type Check, fail, renderChecks } from '../doctor/check.ts';
import { checkFunctions, checkJwks } from '../doctor/http-checks.ts';
import { checkClock, checkLife } from '../doctor/life-checks.ts';
import { checkMirror, checkWorkers } from '../doctor/mirror-checks.ts';
import { checkRoles } from '../doctor/role-checks.ts';
import {
  checkFingerprint,
  checkGrants,
  checkRowSecurity,
  checkTables,
  checkTriggers,
} from '../doctor/schema-checks.ts';
import { EXIT } from '../exit.ts';
import { workerDatabaseUrlOf } from '../graph-options.ts';
import { functionsUrlOf } from '../http.ts';
import { checkedUrl, requireLocal } from '../ledger.ts';
import { mirrorOfStack, namedMirror } from '../mirror.ts';
import {
  databaseUrlOf,
  databaseUrlOption,
  dataDirOf,
  fromEnvironment,
  type LocalOptions,
  withLocal,
} from '../options.ts';
import { print } from '../output.ts';
import { withProgress } from '../render/progress.ts';
import type { Session } from '../session.ts';

interface DoctorOptions extends LocalOptions {
  databaseUrl?: string;
  url?: string;
  jwksUrl?: string;
  workerUrl?: string;
}

interface Patient {
  databaseUrl?: string;
  functionsUrl?: string;
  jwksUrl?: string;
  /** Looks at the graph, where there is one. */
  mirror?: () => Promise<Check[]>;
}

export function registerDoctor(program: Command, session: Session): void {
  withLocal(program.command('doctor'))
    .description('check a deployment or the local stack, each finding with its remedy (exit 1 when a check fails)')
    .addOption(databaseUrlOption("the owner's connection"))
    .option('--url <url>', 'the functions to check (OUTCOME_LEDGER_URL)')
    .option('--jwks-url <url>', 'where the signing keys are (default: the project’s own)')
    .option('--worker-url <url>', 'workers that run elsewhere, by their health port')
    .action(async (options: DoctorOptions) => {
      const patient = await patientOf(options);
      const { terminal } = session;
      const checks = await withProgress('checking', { watched: terminal.watched, total: 4 }, async (progress) => {
        const found: Check[] = [];
        if (patient.databaseUrl) found.push(...(await examineDatabase(patient.databaseUrl)));
        progress.step('keys');
        if (patient.jwksUrl) found.push(await checkJwks(patient.jwksUrl));
        progress.step('functions');
        if (patient.functionsUrl) found.push(...(await checkFunctions(patient.functionsUrl)));
        progress.step('the graph');
        if (patient.mirror) found.push(...(await patient.mirror()));
        return found;
      });
      const healthy = checks.every((check) => check.verdict !== 'fail');
      print(terminal, options.json, { healthy, checks }, () => renderChecks(checks, terminal.colour));
      if (!healthy) session.exit = EXIT.failed;
    });
}

/** What is named by --database-url, --url and --worker-url; nothing named means the local stack, whole. */
async function patientOf(options: DoctorOptions): Promise<Patient> {
  const { workerUrl } = options;
  const workers = workerUrl === undefined ? undefined : () => checkWorkers(checkedUrl(workerUrl));
  const useEnvironment = options.dataDir === undefined;
  const databaseUrl = options.databaseUrl ?? (useEnvironment ? databaseUrlOf(undefined) : undefined);
  const url = options.url ?? (useEnvironment ? fromEnvironment('OUTCOME_LEDGER_URL') : undefined);
  if (databaseUrl === undefined && url === undefined) {
    if (workers && useEnvironment) return { mirror: workers };
    const stack = await requireLocal(dataDirOf(options));
    const ofStack = () => checkMirror(() => mirrorOfStack(stack).status());
    return {
      mirror: workers ?? (stack.graph === 'none' ? undefined : ofStack),
      databaseUrl: stack.databaseUrl,
      functionsUrl: stack.functionsUrl,
      jwksUrl: options.jwksUrl ?? stack.jwksUrl,
    };
  }
  const functionsUrl = url === undefined ? undefined : functionsUrlOf(checkedUrl(url));
  const project = functionsUrl?.replace(/\/functions\/v1$/, '');
  const jwksUrl = options.jwksUrl ?? (project === undefined ? undefined : `${project}/auth/v1/.well-known/jwks.json`);
  return {
    databaseUrl,
    functionsUrl,
    jwksUrl,
    mirror: workers ?? (useEnvironment ? mirrorInEnvironment() : undefined),
  };
}

/** Both sides of a mirror stand in the environment where workers run; elsewhere nothing is known of a graph. */
function mirrorInEnvironment(): Patient['mirror'] {
  const databaseUrl = workerDatabaseUrlOf('sync', undefined);
  if (databaseUrl === undefined || fromEnvironment('NEO4J_URI') === undefined) return undefined;
  return () => checkMirror(async () => (await namedMirror(databaseUrl, { graph: 'neo4j' })).status());
}

async function examineDatabase(url: string): Promise<Check[]> {
  return withDatabase(url, async (sql) => {
    const fingerprint = await checkFingerprint(sql);
    // Without a ledger's schema the other questions have no answer.
    if (fingerprint.detail === 'this database holds no ledger') return [fingerprint, await checkClock(sql)];
    const checks = [fingerprint, await checkTables(sql), await checkRowSecurity(sql), await checkGrants(sql)];
    checks.push(await checkTriggers(sql), ...(await checkRoles(sql)));
    const life = await checkLife(sql).catch((error) => [fail('epoch', (error as Error).message, 'supabase db push')]);
    return [...checks, ...life, await checkClock(sql)];
  });
}

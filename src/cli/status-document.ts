import { setTimeout as wait } from 'node:timers/promises';
import { withoutPassword } from './database.ts';
import type { LocalStack } from './local-stack.ts';
import { clean } from './render/clean.ts';
import type { Colour } from './render/colour.ts';
import { renderFields } from './render/table.ts';

/** The edge functions a ledger serves; each answers `/<name>/health`. */
export const FUNCTIONS = [
  'definitions',
  'invocations',
  'outcomes',
  'executions',
  'events',
  'policy',
  'lineage',
  'artifacts',
  'judgments',
  'statistics',
] as const;

export interface Health {
  /** ok: every function answers; degraded: one says so; down: one does not answer. */
  status: 'ok' | 'degraded' | 'down';
  functions: Record<string, string>;
  fingerprint: string | null;
}

/** What `status --json` gives; members that only a local stack has are null for a ledger named by --url. */
export interface StatusDocument {
  functions_url: string;
  database_url: string | null;
  auditor_url: string | null;
  jwks_url: string | null;
  issuer: string | null;
  data_dir: string | null;
  graph: LocalStack['graph'] | null;
  /** Of the graph `neo4j`: its Bolt address and login; `password` of one that the stack started alone. */
  neo4j: NonNullable<LocalStack['neo4j']> | null;
  workers: WorkerStatus[];
  pid: number | null;
  tenant_id: string | null;
  health: Health;
}

/** A worker of the local stack: its own word for what it does, or `restarting`; `url` answers `/healthz` and `/metrics`. */
export interface WorkerStatus {
  name: string;
  state: string;
  url: string | null;
  pid: number | null;
  /** What keeps it from its work, by its own word or, where it cannot say so, by that of the stack that starts it again. */
  reason: Reason | null;
}

interface Reason {
  code: string;
  message: string;
  /** Null where it passes by itself. */
  remedy: string | null;
}

export async function statusOf(stack: LocalStack, tenantId: string | null): Promise<StatusDocument> {
  return {
    functions_url: stack.functionsUrl,
    database_url: stack.databaseUrl,
    auditor_url: stack.auditorUrl,
    jwks_url: stack.jwksUrl,
    issuer: stack.issuer,
    data_dir: stack.dataDir,
    graph: stack.graph,
    neo4j: stack.neo4j ?? null,
    workers: await Promise.all(stack.workers.map(workerStatus)),
    pid: stack.pid,
    tenant_id: tenantId,
    health: await healthOf(stack.functionsUrl),
  };
}

export async function remoteStatus(functionsUrl: string): Promise<StatusDocument> {
  const health = await healthOf(functionsUrl);
  return {
    functions_url: functionsUrl,
    database_url: null,
    auditor_url: null,
    jwks_url: null,
    issuer: null,
    data_dir: null,
    graph: null,
    neo4j: null,
    workers: [],
    pid: null,
    tenant_id: null,
    health,
  };
}

async function workerStatus({ name, state, url, pid, reason }: LocalStack['workers'][number]): Promise<WorkerStatus> {
  const said =
    url === undefined ? undefined : await wordOf(url, name).catch(() => ({ state: 'down', degraded_by: [] }));
  // Its own word is newer than its last death, once it has one.
  const told = said && !['starting', 'down'].includes(said.state) ? said.degraded_by[0] : reason;
  return { name, state: said?.state ?? state, url: url ?? null, pid: pid ?? null, reason: told ?? null };
}

interface Word {
  state: string;
  degraded_by: Reason[];
}

/** A worker opens both sides within moments; until then its word would be old before it is read. */
const LONGEST_OPENING_MS = 30_000;

/** A worker that is not well answers 503 with the same body. */
async function wordOf(url: string, name: string): Promise<Word | undefined> {
  for (const end = Date.now() + LONGEST_OPENING_MS; ; await wait(50)) {
    const response = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(10_000) });
    const { workers } = (await response.json()) as { workers: (Word & { name: string })[] };
    const word = workers.find((worker) => worker.name === name);
    if (word?.state !== 'starting' || Date.now() > end) return word;
  }
}

async function healthOf(functionsUrl: string): Promise<Health> {
  const answers = await Promise.all(
    FUNCTIONS.map(async (name) => [name, await healthOfOne(functionsUrl, name)] as const),
  );
  const words = answers.map(([, answer]) => answer.status);
  return {
    status: words.every((word) => word === 'ok') ? 'ok' : words.some((word) => word === 'down') ? 'down' : 'degraded',
    functions: Object.fromEntries(answers.map(([name, answer]) => [name, answer.status])),
    fingerprint: answers.map(([, answer]) => answer.fingerprint).find((found) => found !== null) ?? null,
  };
}

async function healthOfOne(
  functionsUrl: string,
  name: string,
): Promise<{ status: string; fingerprint: string | null }> {
  try {
    // Not well is 503 with the same body, which says why.
    const response = await fetch(`${functionsUrl}/${name}/health`, { signal: AbortSignal.timeout(10_000) });
    const body = (await response.json()) as { status?: unknown; code?: unknown; fingerprint?: unknown };
    const word = typeof body.status === 'string' ? body.status : body.code;
    return {
      status: typeof word === 'string' ? word : `HTTP ${response.status}`,
      fingerprint: typeof body.fingerprint === 'string' ? body.fingerprint : null,
    };
  } catch {
    return { status: 'down', fingerprint: null };
  }
}

export function renderStatus(status: StatusDocument, colour: Colour): string {
  const paint = { ok: colour.good, degraded: colour.warn, down: colour.bad }[status.health.status];
  const unwell = Object.entries(status.health.functions).filter(([, word]) => word !== 'ok');
  const fields = renderFields(
    [
      ['functions', status.functions_url],
      // The owner may do everything; a screen or a log of it should not hold that password. --json gives it.
      ['database', status.database_url && withoutPassword(status.database_url)],
      ['auditor', status.auditor_url],
      ['keys (JWKS)', status.jwks_url],
      ['data', status.data_dir],
      ['tenant', status.tenant_id],
      ['graph', status.neo4j ? neo4jText(status.neo4j) : status.graph],
      ['workers', status.pid === null ? null : workersText(status.workers)],
      ['pid', status.pid],
    ],
    colour,
  );
  const health = [paint(status.health.status), ...unwell.map(([name, word]) => `${name}: ${word}`)].join('  ');
  const parts = [...(status.neo4j ? [{ name: 'neo4j', ...status.neo4j }] : []), ...status.workers];
  const reasons = parts.flatMap(({ name, reason }) => (reason ? [reasonText(name, reason, colour)] : []));
  return [`${fields}\n${colour.dim('health'.padEnd(11))}  ${health}`, ...reasons].join('\n');
}

function reasonText(name: string, { code, message, remedy }: Reason, colour: Colour): string {
  const what = `${name}: ${colour.bad(code)}  ${clean(message)}`;
  return remedy ? `${what}\n  ${colour.note('→')} ${remedy}` : what;
}

/** As with the database: where the password is, not what it is. */
function neo4jText({ uri, user, password_in }: NonNullable<StatusDocument['neo4j']>): string {
  return `neo4j ${uri} (user ${user ?? 'by default'}, password in ${password_in})`;
}

function workersText(workers: readonly WorkerStatus[]): string {
  return workers.map(({ name, state }) => `${name} (${state})`).join(', ') || 'none';
}

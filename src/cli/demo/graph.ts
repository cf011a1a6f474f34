import { setTimeout as wait } from 'node:timers/promises';
import { readState } from '../../stack/state.ts';
import { withDatabase } from '../database.ts';
import type { LocalStack } from '../local-stack.ts';
import { mirrorFailure } from '../mirror-failure.ts';

/** What the graph holds of the demo's tenant, each id as often as it is there, sorted. */
export interface Held {
  outcomes: string[];
  links: string[];
}

/** What was seen of the graph; null where the stack has none. */
export interface SeenGraph {
  kind: LocalStack['graph'];
  /** The process that was killed half-way, and the one that went on. */
  killed_pid: number | null;
  next_pid: number | null;
  ledger: Held;
  graph: Held;
  /** The workflow's chain as the named query `why` tells it. */
  why: { outcome_id: string; depth: number }[];
  /** From the last outcome to a graph that holds everything. */
  caught_up_ms: number;
}

const CAUGHT_UP_WITHIN_MS = 30_000;
const LOOK_AGAIN_MS = 50;
const ALL_LINKS = 'INVOKED|CONTRIBUTED_TO|ESCALATED_TO|GOVERNED_BY';

/** Waits until the worker mirrors, so that killing it later interrupts something. */
export async function untilMirrored(stack: LocalStack): Promise<void> {
  for (const end = Date.now() + CAUGHT_UP_WITHIN_MS; ; await wait(LOOK_AGAIN_MS)) {
    try {
      return void (await stack.mirror.once());
    } catch (error) {
      if (Date.now() > end) throw await mirrorFailure(error);
    }
  }
}

/** Ends the worker without a chance to tidy up, and says whom; the stack starts another one by itself. */
export async function killWorker(stack: LocalStack): Promise<number | null> {
  const pid = await workerPid(stack);
  if (pid !== null) process.kill(pid, 'SIGKILL');
  return pid;
}

/** Waits until the graph holds what the ledger holds, for half a minute at most, and reads both. */
export async function seeGraph(
  stack: LocalStack,
  { tenantId, outcomeId, killed }: { tenantId: string; outcomeId: string; killed: number | null },
): Promise<SeenGraph> {
  const started = Date.now();
  const ledger = await ledgerHolds(stack, tenantId);
  let graph: Held = { outcomes: [], links: [] };
  for (const end = started + CAUGHT_UP_WITHIN_MS; Date.now() < end; await wait(LOOK_AGAIN_MS)) {
    // While the worker is started again nobody answers.
    graph = await graphHolds(stack, tenantId).catch(() => graph);
    if (JSON.stringify(graph) === JSON.stringify(ledger)) break;
  }
  const caught_up_ms = Date.now() - started;
  const why = await stack.mirror
    .cypher({ name: 'why', tenantId, parameters: { outcome_id: outcomeId } })
    .catch(async (error) => {
      throw await mirrorFailure(error);
    });
  return {
    kind: stack.graph,
    killed_pid: killed,
    next_pid: await workerPid(stack),
    ledger,
    graph,
    why: why.rows as unknown as SeenGraph['why'],
    caught_up_ms,
  };
}

async function workerPid(stack: LocalStack): Promise<number | null> {
  const state = await readState(stack.dataDir);
  return state?.workers.find((worker) => worker.name === 'sync')?.pid ?? null;
}

async function ledgerHolds(stack: LocalStack, tenantId: string): Promise<Held> {
  return withDatabase(stack.databaseUrl, async (sql) => {
    const [row] = await sql<Held[]>`
      select array(select outcome_id::text from ledger_internal.outcomes where tenant_id = ${tenantId} order by 1) as outcomes,
             array(select link_id::text from public.agent_lineage_links where tenant_id = ${tenantId} order by 1) as links`;
    return { outcomes: row?.outcomes ?? [], links: row?.links ?? [] };
  });
}

async function graphHolds(stack: LocalStack, tenantId: string): Promise<Held> {
  const ids = async (text: string) => {
    const { rows } = await stack.mirror.cypher({ text, tenantId });
    return rows.map((row) => String(row['id']));
  };
  return {
    outcomes: await ids('match (o:Outcome {tenant_id: $tenant_id}) return o.outcome_id as id order by id'),
    links: await ids(
      `match (:Outcome {tenant_id: $tenant_id})-[r:${ALL_LINKS}]->(:Outcome) return r.link_id as id order by id`,
    ),
  };
}

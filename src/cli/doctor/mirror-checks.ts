import type { SyncStatus } from '../../../lineage/index.ts';
import { Failure } from '../failure.ts';
import { lagText, type MirrorStatus } from '../render/mirror-status.ts';
import { type Check, fail, ok, warn } from './check.ts';

type Looked = Pick<MirrorStatus, 'state' | 'graph' | 'lag' | 'quarantined' | 'degraded_by'>;

/** Behind by this much, a mirror does not answer for what happens now. */
const LATE_S = 60;

/** The mirror in a graph: somebody keeps it up, it is near, and it took every row. */
export async function checkMirror(look: () => Promise<Looked>): Promise<Check[]> {
  try {
    const status = await look();
    return [checkWorker(status), checkLag(status), checkQuarantine(status)];
  } catch (error) {
    const { problem } = error instanceof Failure ? error : { problem: undefined };
    const detail = problem ? `${problem.code}: ${problem.detail}` : (error as Error).message;
    return [fail('graph', detail, problem?.remedy ?? 'outcome-ledger sync --status')];
  }
}

/** The same of workers that run elsewhere, as their `/healthz` tells it. */
export async function checkWorkers(url: string): Promise<Check[]> {
  return checkMirror(async () => {
    const response = await fetch(new URL('/healthz', url), { signal: AbortSignal.timeout(10_000) }).catch((cause) => {
      throw new Failure(
        { code: 'worker_unreachable', detail: `${url} does not answer`, remedy: 'check --worker-url' },
        2,
        { cause },
      );
    });
    const { workers } = (await response.json()) as { workers: (SyncStatus & { name: string })[] };
    const sync = workers.find(({ name }) => name === 'sync');
    if (!sync)
      throw new Failure({
        code: 'unexpected_answer',
        detail: `${url} runs no sync worker`,
        remedy: 'check --worker-url',
      });
    return sync;
  });
}

function checkWorker({ state, graph, degraded_by }: Looked): Check {
  const name = 'graph worker';
  const [reason] = degraded_by;
  const where = `${state}, ${graph.kind} ${graph.address}`;
  if (reason?.code === 'feed_held_back') return warn(name, `${where}: ${reason.message}`, reason.remedy ?? 'end it');
  if (reason)
    return fail(
      name,
      `${state} (${reason.code}): ${reason.message}`,
      reason.remedy ?? 'it passes by itself, or the worker’s log says more',
    );
  if (state === 'no worker')
    return warn(name, `nobody mirrors into ${graph.kind} ${graph.address}`, 'outcome-ledger workers sync');
  return state === 'stopped' ? fail(name, where, 'outcome-ledger workers sync') : ok(name, where);
}

function checkLag({ state, lag }: Looked): Check {
  const name = 'graph lag';
  if (!lag) return ok(name, state === 'standby' ? 'the active worker measures it' : 'not measured yet');
  return lag.seconds < LATE_S
    ? ok(name, lagText(lag))
    : warn(name, lagText(lag), 'outcome-ledger sync --status says what keeps it');
}

function checkQuarantine({ quarantined }: Looked): Check {
  const name = 'graph quarantine';
  if (!quarantined) return ok(name, 'empty');
  return warn(
    name,
    `${quarantined} rows that the graph refused`,
    'outcome-ledger sync --status lists them; then --retry-quarantined',
  );
}

import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OnceReport, QueryResult, ReconcileReport, RetryReport } from '../../../lineage/index.ts';
import { readState } from '../state.ts';
import type { CypherRequest } from './cypher.ts';
import type { WorkerProblem } from './problem.ts';
import type { WorkerStatus } from './sync-control.ts';

/** A worker that is started again serves within moments. */
const RESTARTS_WITHIN_MS = 15_000;
const LOOK_AGAIN_MS = 50;

/** What can be asked of the graph beside a running stack; its sync worker answers. */
export interface StackMirror {
  /** Read-only; see `CypherRequest`. */
  cypher(request: CypherRequest): Promise<QueryResult>;
  status(): Promise<WorkerStatus>;
  /** Waits until the graph holds everything that the feed gives now. */
  once(): Promise<OnceReport>;
  /** Compares both sides and repairs the graph; `dryRun` only compares. */
  reconcile(options?: { dryRun?: boolean }): Promise<ReconcileReport>;
  retryQuarantined(): Promise<RetryReport>;
}

/** The worker refused, or there is none to ask. */
export class MirrorRefused extends Error {
  readonly code: string;
  readonly remedy: string | null;
  /** HTTP status. */
  readonly status: number;

  constructor(problem: Pick<WorkerProblem, 'code' | 'detail' | 'remedy' | 'status'>, options?: ErrorOptions) {
    super(problem.detail, options);
    this.name = 'MirrorRefused';
    this.code = problem.code;
    this.remedy = problem.remedy;
    this.status = problem.status;
  }
}

/**
 * The mirror of the stack that runs on a data directory. Where its worker listens is looked up for each question, since it
 * may have been started again; one that is being started is waited for.
 *
 * Each call @throws MirrorRefused
 */
export function mirrorOf(dataDir: string): StackMirror {
  const ask = async <T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T> => {
    const answer = await untilHeard(dataDir, ({ url, token }) => send(new URL(path, url), method, token, body));
    const document = JSON.parse(answer.text) as T & WorkerProblem;
    if (answer.status !== 200) throw new MirrorRefused({ ...document, status: answer.status });
    return document;
  };
  return {
    cypher: (query) => ask('POST', '/control/cypher', query),
    status: () => ask('GET', '/control/sync'),
    once: () => ask('POST', '/control/sync/once'),
    reconcile: ({ dryRun = false } = {}) => ask('POST', `/control/sync/reconcile?dry_run=${dryRun}`),
    retryQuarantined: () => ask('POST', '/control/sync/retry-quarantined'),
  };
}

/** Asks until somebody listens. What was heard is not asked twice: it may be what ended the worker. */
async function untilHeard<T>(dataDir: string, asked: (worker: WorkerAddress) => Promise<T>): Promise<T> {
  for (const end = Date.now() + RESTARTS_WITHIN_MS; ; await sleep(LOOK_AGAIN_MS)) {
    const worker = await workerOf(dataDir);
    try {
      if (worker) return await asked(worker);
    } catch (cause) {
      const heard = (cause as NodeJS.ErrnoException).code !== 'ECONNREFUSED';
      if (heard) throw unreachable('the sync worker ended before it answered, maybe over another query', { cause });
    }
    if (Date.now() > end) throw unreachable('the sync worker is being started again');
  }
}

/** Not `fetch`, which gives up after five minutes: comparing a large graph takes as long as it takes. */
function send(url: URL, method: string, token: string, body?: object): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const sent = request(url, { method, headers, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
      response.on('error', reject);
    });
    sent.on('error', reject);
    sent.end(body && JSON.stringify(body));
  });
}

type WorkerAddress = { url: string; token: string };

/** Undefined while it is being started again; one whose ends have a known reason is not waited for. */
async function workerOf(dataDir: string): Promise<WorkerAddress | undefined> {
  const state = await readState(dataDir);
  if (!state || state.graph === 'none') {
    throw new MirrorRefused({
      code: 'graph_missing',
      detail: 'this ledger runs without a graph',
      remedy: 'outcome-ledger down, then outcome-ledger up --graph embedded',
      status: 404,
    });
  }
  const { url, reason } = state.workers.find((worker) => worker.name === 'sync') ?? {};
  if (url) return { url, token: state.control_token };
  if (reason) throw new MirrorRefused({ ...reason, detail: reason.message, status: 503 });
  return undefined;
}

function unreachable(detail: string, options?: ErrorOptions): MirrorRefused {
  const remedy = 'ask again; workers.log in the data directory tells more';
  return new MirrorRefused({ code: 'worker_unreachable', detail, remedy, status: 503 }, options);
}

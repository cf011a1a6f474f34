import { request } from 'node:http';
import type { OnceReport, QueryResult, ReconcileReport, RetryReport } from '../../../lineage/index.ts';
import { readState } from '../state.ts';
import type { CypherRequest } from './cypher.ts';
import type { WorkerProblem } from './problem.ts';
import type { WorkerStatus } from './sync-control.ts';

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
 * may have been started again.
 *
 * Each call @throws MirrorRefused
 */
export function mirrorOf(dataDir: string): StackMirror {
  const ask = async <T>(method: 'GET' | 'POST', path: string, body?: object): Promise<T> => {
    const { url, token } = await workerOf(dataDir);
    const answer = await send(new URL(path, url), method, token, body).catch((cause: unknown) => {
      throw unreachable('the sync worker does not answer', { cause });
    });
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

async function workerOf(dataDir: string): Promise<{ url: string; token: string }> {
  const state = await readState(dataDir);
  if (!state || state.graph === 'none') {
    throw new MirrorRefused({
      code: 'graph_missing',
      detail: 'this ledger runs without a graph',
      remedy: 'outcome-ledger down, then outcome-ledger up --graph embedded',
      status: 404,
    });
  }
  const url = state.workers.find((worker) => worker.name === 'sync')?.url;
  if (!url) throw unreachable('the sync worker is being started again');
  return { url, token: state.control_token };
}

function unreachable(detail: string, options?: ErrorOptions): MirrorRefused {
  const remedy = 'ask again; workers.log in the data directory tells more';
  return new MirrorRefused({ code: 'worker_unreachable', detail, remedy, status: 503 }, options);
}

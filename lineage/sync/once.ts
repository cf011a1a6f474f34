import { Backoff } from '../../src/worker/backoff.ts';
import { pause } from '../../src/worker/pause.ts';
import type { Ledger } from '../feed/ledger.ts';
import { GraphFault, PositionMoved } from '../graph/fault.ts';
import type { Graph } from '../graph/graph.ts';
import { BatchSize } from './batch-size.ts';
import { withGraph, withLedger } from './guarded-open.ts';
import { mirrorName } from './mirror-name.ts';
import { mirrorPass } from './pass.ts';
import { beginSession } from './session.ts';
import { type Mirror, type OnceReport, type SyncLog, SyncRefused } from './types.ts';

/** When passing faults in a row are too many. */
interface Patience {
  attempts: number;
  /** The driver tries for long by itself: no further try begins so long after the first fault. */
  giveUpMs: number;
  /** The first wait between two tries; each further one is longer. */
  firstWaitMs: number;
}

/** With the waits between the attempts about 30 seconds. */
const PATIENCE: Patience = { attempts: 8, giveUpMs: 30_000, firstWaitMs: 250 };
const LONGEST_WAIT_MS = 10_000;

/** Writers that never pause would keep it for ever. */
const PASSES = 20;

export interface OnceOptions extends Mirror {
  log?: SyncLog;
  /** Ends it after the batch in hand; the report tells how far it came. */
  signal?: AbortSignal;
  /** Tests shorten it. */
  patience?: Partial<Patience>;
}

/**
 * Mirrors to the end of the feed and returns.
 *
 * @throws SyncRefused `another_active` while a worker has the lock; `position_gone`
 * @throws LedgerRefused, GraphRefused as a worker would be refused
 * @throws GraphFault what is not passing, and what did not pass within about half a minute; nothing is lost by it
 */
export function syncOnce(options: OnceOptions): Promise<OnceReport> {
  const mirror = mirrorName(options.graph);
  return withLedger(options, async (ledger) => {
    // Before the graph is opened, whose files may be the active worker's.
    if (!(await ledger.tryLock(mirror))) {
      throw new SyncRefused(
        'another_active',
        'a worker has the lock of this mirror and is mirroring',
        'Nothing needs doing: `outcome-ledger sync --status` tells how far it is. Stop that worker to mirror by hand.',
      );
    }
    return withGraph(options, (graph) => mirrorToTheEnd(ledger, graph, mirror, options));
  });
}

async function mirrorToTheEnd(ledger: Ledger, graph: Graph, mirror: string, options: OnceOptions): Promise<OnceReport> {
  const { log = () => undefined, signal = new AbortController().signal } = options;
  const { tenantId } = options.graph;
  const { attempts, giveUpMs, firstWaitMs } = { ...PATIENCE, ...options.patience };
  const report: OnceReport = { mirror, rows: 0, batches: 0, quarantined: 0, position: null, held_back_by: [] };
  const sizes = new BatchSize();
  const backoff = new Backoff(firstWaitMs, LONGEST_WAIT_MS);
  let faults = 0;
  let faultyAt: number | null = null;
  const listener = {
    began(at: OnceReport['position']) {
      report.position = at;
    },
    wrote(rows: number, at: NonNullable<OnceReport['position']>) {
      faults = 0;
      faultyAt = null;
      backoff.reset();
      report.rows += rows;
      report.batches += 1;
      report.position = at;
    },
    parked(row: { kind: string; seq: number }, fault: GraphFault) {
      report.quarantined += 1;
      log({
        level: 'error',
        message: `row quarantined: ${fault.message}`,
        details: { mirror, kind: row.kind, seq: row.seq },
      });
    },
  };
  for (;;) {
    try {
      // A page that is not full ends a pass, though other tables' tombstones may have thinned it.
      for (let before = -1, passes = 0; before !== report.batches && passes < PASSES && !signal.aborted; passes += 1) {
        before = report.batches;
        await mirrorPass(await beginSession({ ledger, graph, mirror, tenantId, sizes }), listener, signal);
      }
      report.held_back_by = (await ledger.lag(report.position)).held_back_by;
      return report;
    } catch (error) {
      const passing = error instanceof PositionMoved || (error instanceof GraphFault && error.kind === 'passing');
      faults += 1;
      faultyAt ??= Date.now();
      const over = faults >= attempts || Date.now() - faultyAt > giveUpMs;
      if (!passing || over || signal.aborted) throw error;
      log({ level: 'warn', message: `trying again: ${(error as Error).message}`, details: { mirror } });
      await pause(backoff.next(), signal);
    }
  }
}

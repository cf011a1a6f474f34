import { Backoff } from '../../src/worker/backoff.ts';
import { pause } from '../../src/worker/pause.ts';
import type { Ledger } from '../feed/ledger.ts';
import { GraphFault, PositionMoved } from '../graph/fault.ts';
import { BatchSize } from './batch-size.ts';
import type { BorrowedGraph } from './borrowed-graph.ts';
import { closeSession, openGuardedLedger, openUnless } from './guarded-open.ts';
import { LedgerLost } from './guards.ts';
import { watchLag } from './lag-watch.ts';
import { BUSY_FOR_MS } from './pace.ts';
import { mirrorPass, type PassListener } from './pass.ts';
import { retryEach } from './quarantine.ts';
import { type Verdict, verdictOn } from './reasons.ts';
import { beginSession, type Session } from './session.ts';
import type { StatusBoard } from './status-board.ts';
import type { Mirror, SyncPace } from './types.ts';

/** After so many faults in a row the graph is opened anew: what it holds open may be what is broken. */
const FAULTS_BEFORE_REOPENING = 10;

export interface LoopParts {
  sides: Mirror;
  graph: BorrowedGraph;
  board: StatusBoard;
  pace: SyncPace;
  random: () => number;
  stop: AbortSignal;
}

/**
 * What a worker does from its start to its stop: opens the ledger, takes the lock or stands by, opens the graph, mirrors,
 * and after whatever goes wrong begins again with the ledger, the lock or the graph, as far back as it must.
 */
export class WorkerLoop {
  readonly #parts: LoopParts;
  readonly #graphBackoff: Backoff;
  readonly #ledgerBackoff: Backoff;
  readonly #sizes = new BatchSize();
  readonly #listener: PassListener;
  #faults = 0;
  #busyUntil = 0;
  #quarantineAt = 0;

  constructor(parts: LoopParts) {
    this.#parts = parts;
    const { board, pace, random } = parts;
    this.#graphBackoff = new Backoff(pace.backoffMs, pace.backoffMaxMs, random);
    this.#ledgerBackoff = new Backoff(pace.backoffMs, pace.backoffMaxMs, random);
    this.#listener = {
      began: (at) => board.began(at),
      parked: (row, fault) => board.parked(row, fault),
      wrote: (rows, at) => {
        board.wrote(rows, at);
        this.#landed();
        if (rows > 0) this.#busyUntil = Date.now() + BUSY_FOR_MS;
      },
    };
  }

  async run(): Promise<void> {
    const { board, graph, pace, stop } = this.#parts;
    while (!stop.aborted) {
      try {
        await this.#withLedger();
      } catch (error) {
        // The lock went with the session. The graph stays open for its readers; the fence keeps out what was under way.
        board.forgetLag();
        const { state } = this.#fail(error);
        await pause(state === 'refused' ? pace.refusedMs : this.#ledgerBackoff.next(), stop);
      }
    }
    await graph.close();
    board.forgetLag();
    board.enter('stopped');
  }

  /** One session of the ledger, from its opening to its loss or the stop. */
  async #withLedger(): Promise<void> {
    const { sides, board, pace, stop } = this.#parts;
    const ledger = await openUnless(stop, () => openGuardedLedger(sides));
    if (!ledger) return;
    const over = new AbortController();
    const ends = AbortSignal.any([stop, over.signal]);
    let watching: Promise<void> | undefined;
    try {
      if (!(await this.#lock(ledger))) return;
      this.#ledgerBackoff.reset();
      this.#quarantineAt = 0;
      watching = watchLag(ledger, board, pace.lagMs, ends, (error) => over.abort(error));
      await this.#mirror(ledger, ends);
      over.signal.throwIfAborted();
    } finally {
      over.abort();
      // Before the watch has ended: what it still waits for would else keep a dead session.
      await closeSession(ledger);
      await watching;
    }
  }

  /** True once this session is the active one; false when the worker was stopped before. */
  async #lock(ledger: Ledger): Promise<boolean> {
    const { board, graph, pace, stop } = this.#parts;
    while (!stop.aborted) {
      if (await ledger.tryLock(board.mirror)) return true;
      this.#ledgerBackoff.reset();
      // The active one may need its files.
      await graph.close();
      board.enter('standby');
      await pause(pace.standbyMs, stop);
    }
    return false;
  }

  async #mirror(ledger: Ledger, ends: AbortSignal): Promise<void> {
    let session: Session | null = null;
    while (!ends.aborted) {
      try {
        session ??= await this.#begin(ledger);
        if (!session) return;
        await this.#retryQuarantine(session, ends);
        await this.#pass(session, ends);
        const { busyMs, idleMs } = this.#parts.pace;
        await pause(Date.now() < this.#busyUntil ? busyMs : idleMs, ends);
      } catch (error) {
        if (error instanceof LedgerLost) throw error;
        // Begun anew after each fault: the graph may have been emptied, or set up differently.
        session = null;
        await this.#recover(error, ends);
      }
    }
  }

  async #begin(ledger: Ledger): Promise<Session | null> {
    const { sides, board, graph, stop } = this.#parts;
    const opened = await graph.open(stop);
    if (!opened) return null;
    const { tenantId } = sides.graph;
    return beginSession({ ledger, graph: opened, mirror: board.mirror, tenantId, sizes: this.#sizes });
  }

  async #pass(session: Session, ends: AbortSignal): Promise<void> {
    await mirrorPass(session, this.#listener, ends);
    if (ends.aborted) return;
    this.#landed();
    this.#parts.board.passed();
  }

  #landed(): void {
    this.#graphBackoff.reset();
    this.#faults = 0;
  }

  /** When a session begins, and now and then: what the graph refused may have been mended. */
  async #retryQuarantine({ ledger, graph, mirror }: Session, ends: AbortSignal): Promise<void> {
    if (Date.now() < this.#quarantineAt) return;
    // Set first: a row that fails the graph may not be tried at every turn.
    this.#quarantineAt = Date.now() + this.#parts.pace.quarantineMs;
    const report = await retryEach(ledger, graph, mirror, ends);
    if (report.repaired + report.gone > 0) this.#parts.board.note('info', 'quarantine retried', { ...report });
  }

  async #recover(error: unknown, ends: AbortSignal): Promise<void> {
    const { board, graph, pace } = this.#parts;
    if (error instanceof PositionMoved) {
      board.note('info', 'the graph’s position moved: another worker, `reconcile`, or an emptied graph');
      return pause(this.#graphBackoff.next(), ends);
    }
    const { state, kind } = this.#fail(error);
    this.#faults += 1;
    await pause(state === 'refused' ? pace.refusedMs : this.#graphBackoff.next(), ends);
    // On a full disk the open files are whole and can be read; once closed they could not even be opened.
    if (error instanceof GraphFault && error.code === 'graph_disk_full') return;
    // Credentials and files are read when a graph is opened.
    if (kind !== 'passing' || this.#faults % FAULTS_BEFORE_REOPENING === 0) await graph.closeIfIdle();
  }

  #fail(error: unknown): Verdict {
    const verdict = verdictOn(error);
    this.#parts.board.failed(verdict.kind, verdict.reason.code, error);
    this.#parts.board.enter(verdict.state, verdict.reason);
    return verdict;
  }
}

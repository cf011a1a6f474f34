import type { MeasuredLag, QuarantinedRow, StatusReport, SyncReason, SyncStatus } from '../../../lineage/index.ts';
import { HELD_TOO_LONG_S } from '../../contract/limits.ts';
import type { WorkerStatus } from '../../stack/workers/sync-control.ts';
import type { Colour } from './colour.ts';
import { renderFields, renderTable } from './table.ts';
import { showTime } from './time.ts';

/** A mirror as `sync --status` tells it, whoever was asked. */
export interface MirrorStatus
  extends Pick<
    SyncStatus,
    'mirror' | 'graph' | 'tenant_id' | 'position' | 'held_back_by' | 'quarantined' | 'degraded_by'
  > {
  /** The worker's word; asked from outside, `active` when some worker has the mirror's lock, else `no worker`. */
  state: SyncStatus['state'] | 'no worker';
  /** When it came into this state; null asked from outside. */
  since: string | null;
  lag: Omit<MeasuredLag, 'measured_at'> | null;
  quarantine: QuarantinedRow[];
}

export function fromWorker(status: WorkerStatus): MirrorStatus {
  return status;
}

/** Asked from outside, only the feed's holder can be seen to be wrong: a graph that refuses answers with an error. */
export function fromReport(report: StatusReport): MirrorStatus {
  const { worker_active, ...rest } = report;
  return { ...rest, state: worker_active ? 'active' : 'no worker', since: null, degraded_by: heldBack(report) };
}

function heldBack({ held_back_by }: StatusReport): SyncReason[] {
  return held_back_by
    .filter((holder) => holder.age_s > HELD_TOO_LONG_S)
    .map((holder) => ({
      code: 'feed_held_back',
      message: `${holderText(holder)} holds the feed back`,
      remedy: 'end that transaction: select pg_terminate_backend(pid), or rollback prepared',
    }));
}

export function renderMirrorStatus(status: MirrorStatus, colour: Colour): string {
  const { lag, position, quarantine } = status;
  const fields = renderFields(
    [
      ['state', status.since ? `${status.state} since ${showTime(status.since)}` : status.state],
      ['graph', `${status.graph.kind} ${status.graph.address}`],
      ['tenant', status.tenant_id ?? 'all'],
      ['lag', lag ? lagText(lag) : 'not measured yet'],
      [
        'position',
        position ? `epoch ${position.epoch}, xid ${position.xid}, seq ${position.seq}` : 'nothing mirrored yet',
      ],
      ['held back by', status.held_back_by.map(holderText).join(', ') || 'nobody'],
      ['quarantined', status.quarantined ?? 'not counted yet'],
    ],
    colour,
  );
  const reasons = status.degraded_by.map(({ code, message, remedy }) =>
    [`${colour.bad(code)}  ${message}`, ...(remedy ? [`  ${colour.note('→')} ${remedy}`] : [])].join('\n'),
  );
  const parts = [fields, ...reasons, renderQuarantine(quarantine, colour)];
  if (quarantine.length > 0)
    parts.push(`${colour.note('→')} mend the graph, then: outcome-ledger sync --retry-quarantined`);
  return parts.filter((part) => part !== '').join('\n\n');
}

function renderQuarantine(rows: readonly QuarantinedRow[], colour: Colour): string {
  return renderTable(
    rows,
    [
      { title: 'kind', value: (row) => row.kind },
      { title: 'row', value: (row) => Object.values(row.row_key).join(' ') },
      { title: 'tries', value: (row) => row.attempts, align: 'right' },
      { title: 'since', value: (row) => showTime(row.first_failed_at) },
      { title: 'code', value: (row) => row.code, paint: (text) => colour.bad(text) },
      { title: 'reason', value: (row) => row.reason },
    ],
    colour,
  );
}

export function lagText({ rows, rows_capped, seconds }: Omit<MeasuredLag, 'measured_at'>): string {
  return `${rows_capped ? 'more than ' : ''}${rows} rows, ${seconds.toFixed(1)} s`;
}

function holderText(holder: MirrorStatus['held_back_by'][number]): string {
  const who = holder.pid === null ? `prepared transaction ${holder.prepared}` : `pid ${holder.pid}`;
  return `${who} (${holder.user} in ${holder.database}) for ${Math.round(holder.age_s)} s`;
}

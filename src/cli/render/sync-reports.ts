import type { Compared, OnceReport, ReconcileReport, RetryReport } from '../../../lineage/index.ts';

export function renderOnce({ rows, batches, quarantined, held_back_by }: OnceReport): string {
  const parked = quarantined > 0 ? `; ${quarantined} put into quarantine` : '';
  const held = held_back_by.length > 0 ? '; an open transaction holds later rows back (sync --status names it)' : '';
  return `the graph is at the end of the feed: ${rows} rows in ${batches} batches${parked}${held}`;
}

export function renderReconcile(report: ReconcileReport, dryRun: boolean): string {
  const { outcomes, links, repaired, refused, position_reset } = report;
  return [
    `outcomes  ${comparedText(outcomes)}`,
    `links     ${comparedText(links)}`,
    dryRun ? 'nothing was changed' : `${repaired} repaired${refused > 0 ? `, ${refused} refused by the graph` : ''}`,
    ...(report.quarantine ? [`quarantine: ${renderRetry(report.quarantine)}`] : []),
    ...(position_reset ? ['the position was lost with its row: the feed is read from its start'] : []),
  ].join('\n');
}

export function renderRetry({ repaired, gone, kept }: RetryReport): string {
  return `${repaired} went through, ${gone} are no longer in the ledger, ${kept} are still refused`;
}

function comparedText({ checked, missing, different, surplus }: Compared): string {
  return `${checked} compared: ${missing} missing in the graph, ${different} different, ${surplus} too many`;
}

/** Whether both sides were found to be the same. */
export function isSame({ outcomes, links }: ReconcileReport): boolean {
  return [outcomes, links].every(({ missing, different, surplus }) => missing + different + surplus === 0);
}

import { type Mirror, type OnOverrun, openLedger } from '../../../lineage/index.ts';
import { sourceOf } from './graph-source.ts';
import { type GraphTarget, requireInstalled } from './graph-target.ts';

/**
 * Both sides of a mirror, named and not yet opened.
 *
 * @param databaseUrl as the login `ledger_sync`, on a session connection
 * @param onOverrun see `sourceOf`
 * @throws GraphUnavailable when the graph's package is not installed
 */
export function openMirror(databaseUrl: string, graph: GraphTarget, tenantId?: string, onOverrun?: OnOverrun): Mirror {
  requireInstalled(graph.kind);
  const tenant = tenantId ?? null;
  return {
    openLedger: () => openLedger({ url: databaseUrl, tenantId: tenant }),
    graph: sourceOf(graph, tenant, onOverrun),
  };
}

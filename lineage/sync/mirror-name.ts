import type { GraphSource } from './types.ts';

/** Names a mirror: its lock, its quarantine, its metrics. Two workers of one name never write at once. */
export function mirrorName(source: Pick<GraphSource, 'kind' | 'address' | 'tenantId'>): string {
  return `${source.kind} ${source.address} ${source.tenantId ?? 'all'}`;
}

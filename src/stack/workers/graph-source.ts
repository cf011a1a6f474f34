import path from 'node:path';
import { embeddedSource, type GraphSource, neo4jSource } from '../../../lineage/index.ts';
import type { GraphTarget } from './graph-target.ts';

/** Names the graph of all tenants, or of one, without opening it. */
export function sourceOf(target: GraphTarget, tenantId: string | null): GraphSource {
  return target.kind === 'neo4j'
    ? neo4jSource({ ...target, tenantId })
    : embeddedSource({ directory: path.resolve(target.directory), tenantId });
}

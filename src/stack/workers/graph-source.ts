import path from 'node:path';
import { embeddedSource, type GraphSource, neo4jSource, type OnOverrun } from '../../../lineage/index.ts';
import type { GraphTarget } from './graph-target.ts';

/**
 * Names the graph of all tenants, or of one, without opening it.
 *
 * @param onOverrun of an embedded graph whose queries are asked here; see `openEmbedded`
 */
export function sourceOf(target: GraphTarget, tenantId: string | null, onOverrun?: OnOverrun): GraphSource {
  return target.kind === 'neo4j'
    ? neo4jSource({ ...target, tenantId })
    : embeddedSource({ directory: path.resolve(target.directory), tenantId, onOverrun });
}

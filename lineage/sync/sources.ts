import { type EmbeddedOptions, embeddedAddress, openEmbedded } from '../graph/embedded/index.ts';
import { neo4jAddress, openNeo4j } from '../graph/neo4j/index.ts';
import type { GraphSource } from './types.ts';

export interface EmbeddedPlace {
  directory: string;
  /** The one tenant this graph mirrors; left out or null = all. */
  tenantId?: string | null;
  /** See `openEmbedded`. */
  onOverrun?: EmbeddedOptions['onOverrun'];
}

/** The embedded graph in a directory, named without opening its files. */
export function embeddedSource({ directory, tenantId = null, onOverrun }: EmbeddedPlace): GraphSource {
  return {
    kind: 'embedded',
    address: embeddedAddress(directory),
    tenantId,
    open: () => openEmbedded({ directory, tenantId, onOverrun }),
  };
}

/** A database of a Neo4j, named without connecting. */
export function neo4jSource(options: Parameters<typeof openNeo4j>[0]): GraphSource {
  return {
    kind: 'neo4j',
    address: neo4jAddress(options),
    tenantId: options.tenantId ?? null,
    open: () => openNeo4j(options),
  };
}

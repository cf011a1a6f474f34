import type { ArtifactRecord } from '../phase-documents.ts';
import type { Transport } from '../transport.ts';
import { segment } from '../url.ts';
import { readOne } from './read.ts';

export interface Artifacts {
  /** What a phase left, with its content, or with where to fetch that. */
  get(artifactId: string): Promise<ArtifactRecord>;
}

export function artifacts(transport: Transport): Artifacts {
  return { get: (id) => readOne(transport, `artifacts/${segment(id)}`) };
}

// Artifacts: what phases left behind.
import type { Session } from './connection.ts';
import type { LedgerRecord } from './recorded.ts';
import { uuid } from './statement.ts';

/** What is read here of an artifact; the record has more members. At most one of the three is not null. */
export interface ArtifactRecord extends LedgerRecord {
  content?: string | null;
  content_base64?: string | null;
  object_key?: string | null;
}

/** One artifact with its content, or with its key in the object store; null when the tenant has none of that id. */
export function getArtifact(session: Session, artifactId: string): Promise<ArtifactRecord | null> {
  return session.call('get_artifact', uuid(artifactId));
}

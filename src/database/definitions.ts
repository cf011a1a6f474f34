// Source definitions: one version of an agent's or workflow's contract.
import type { Session } from './connection.ts';
import type { BatchItem, Recorded } from './recorded.ts';
import { jsonb, text } from './statement.ts';

/** What the functions read of a definition; the record has more members. */
export interface DefinitionRecord extends Record<string, unknown> {
  output_schema?: Record<string, unknown> | null;
  confidence_schema?: Record<string, unknown> | null;
  /** SHA-256, in hex, of the schema as stored; null without one. */
  output_schema_hash?: string | null;
  confidence_schema_hash?: string | null;
}

export function putSourceDefinition(session: Session, definition: unknown): Promise<Recorded> {
  return session.call('put_source_definition', jsonb(definition));
}

export function putSourceDefinitions(session: Session, definitions: readonly unknown[]): Promise<BatchItem[]> {
  return session.call('put_source_definitions', jsonb(definitions));
}

/** One definition, or null when the tenant has none of that name and version. */
export function getSourceDefinition(
  session: Session,
  sourceType: string,
  sourceId: string,
  version: string,
): Promise<DefinitionRecord | null> {
  return session.call('get_source_definition', text(sourceType), text(sourceId), text(version));
}

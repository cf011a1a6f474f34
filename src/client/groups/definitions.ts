import type { DefinitionRecord, Recorded, SourceDefinition } from '../documents.ts';
import { prepared } from '../prepared.ts';
import type { Transport } from '../transport.ts';
import { segment } from '../url.ts';
import { readOne } from './read.ts';

export interface Definitions {
  /** Registers one version of an agent's or workflow's contract. Append-only: the same again is a replay. */
  put(definition: SourceDefinition): Promise<Recorded<DefinitionRecord>>;
  get(type: 'agent' | 'workflow', id: string, version: string): Promise<DefinitionRecord>;
}

export function definitions(transport: Transport): Definitions {
  const pathOf = (type: string, id: string, version: string) =>
    `definitions/${segment(type)}/${segment(id)}/${segment(version)}`;
  return {
    async put(definition) {
      const { source_type, source_id, version, ...body } = prepared(definition, 'the definition');
      const path = pathOf(source_type, source_id, version);
      const answer = await transport.call<DefinitionRecord>({ method: 'PUT', path, body });
      return { record: answer.data, replayed: answer.replayed };
    },
    get: (type, id, version) => readOne(transport, pathOf(type, id, version)),
  };
}

import { sha256 } from '../contract/sha256.ts';
import type { SourceText } from './source.ts';

/** SHA-256 in hexadecimal. */
export interface SetHash {
  /** Of the set: of the bytes `cedar policy set 1`, LF, the hash of the policies, LF, the schema's hash or `none`, LF. */
  readonly hash: string;
  /** Of the schema's text, or of its canonical JSON; null without one. */
  readonly schemaHash: string | null;
}

/**
 * The hash of a set: over the exact bytes of its texts as UTF-8, comments and white space included, because comments
 * explain to an auditor what was in force. A schema sent as an object counts as its JSON with sorted members, so that
 * it keeps its hash when a database stores it as such.
 */
export async function hashOf(source: SourceText): Promise<SetHash> {
  const schemaHash = source.schema === null ? null : await sha256(source.schema.text);
  const policies = await sha256(source.policies);
  return { hash: await sha256(`cedar policy set 1\n${policies}\n${schemaHash ?? 'none'}\n`), schemaHash };
}

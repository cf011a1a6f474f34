import { canonicalJson } from '../contract/json/canonical.ts';
import { isPlainObject } from '../contract/scalars/kind.ts';
import { textComplaint, unstorable } from '../contract/storable.ts';
import { type Finding, finding, type SetMember } from './finding.ts';
import { POLICY_TEXT_MAX_BYTES } from './limits.ts';
import { Places } from './place.ts';

/** A policy set as it is sent and stored: Cedar text, and the schema it is held to, as Cedar text or Cedar's JSON. */
export interface PolicySetSource {
  policies: string;
  schema?: string | object | null;
}

/** A source whose members are text of a fit size: a schema that came as an object is its canonical JSON. */
export interface SourceText {
  readonly policies: string;
  readonly schema: { readonly text: string; readonly json: Record<string, unknown> | null } | null;
}

export function sourceText(source: PolicySetSource): { text: SourceText; violations: Finding[] } {
  const { policies, schema } = source as { policies: unknown; schema?: unknown };
  const violations: Finding[] = [];
  const text: SourceText = { policies: typeof policies === 'string' ? policies : '', schema: null };
  if (typeof policies !== 'string') violations.push(finding('/policies', 'text', 'must be a string'));
  else violations.push(...textFaults('/policies', policies));
  if (schema === undefined || schema === null) return { text, violations };
  if (typeof schema === 'string') {
    violations.push(...textFaults('/schema', schema));
    return { text: { ...text, schema: { text: schema, json: null } }, violations };
  }
  if (!isPlainObject(schema)) {
    violations.push(finding('/schema', 'text', 'must be a string or an object'));
    return { text, violations };
  }
  const faults = unstorable(schema).map(({ path, message }) => {
    return { ...finding('/schema', 'text', message), path: `/schema${path}` };
  });
  if (faults.length > 0) return { text, violations: [...violations, ...faults] };
  const canonical = canonicalJson(schema);
  violations.push(...sizeFaults('/schema', canonical));
  return { text: { ...text, schema: { text: canonical, json: schema } }, violations };
}

function textFaults(path: SetMember, text: string): Finding[] {
  const size = sizeFaults(path, text);
  const complaint = size.length > 0 ? undefined : textComplaint(text);
  if (!complaint) return size;
  const at = text.search(/\0|[\ud800-\udfff]/u);
  return [finding(path, 'text_storable', complaint.message, new Places(text).at(at))];
}

function sizeFaults(path: SetMember, text: string): Finding[] {
  // A UTF-16 unit takes one to three bytes, so most texts need no counting.
  if (text.length * 3 <= POLICY_TEXT_MAX_BYTES) return [];
  const tooLong = text.length > POLICY_TEXT_MAX_BYTES || new TextEncoder().encode(text).length > POLICY_TEXT_MAX_BYTES;
  return tooLong ? [finding(path, 'too_large', `must take at most ${POLICY_TEXT_MAX_BYTES} bytes`)] : [];
}

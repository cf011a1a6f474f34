/** One thing wrong with a document: where (JSON Pointer, RFC 6901), which rule (a stable word), and what was expected. */
export interface Violation {
  path: string;
  rule: string;
  message: string;
}

/** A reader of a long list of complaints stops long before this; the rest is left out, in SQL too. */
export const MAX_VIOLATIONS = 100;

export function pointer(segments: Iterable<PropertyKey>): string {
  let text = '';
  for (const segment of segments) text += `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`;
  return text;
}

// Bodies as contract documents: read strictly, named by the server when the caller did not, checked, refused with paths.
import { checkDocument, type DocumentName, type Violation } from '../../src/contract/index.ts';
import { Refusal } from '../../src/database/index.ts';

/** The document in its normal form; throws `request_invalid` with pointers into it. */
export function requireDocument<N extends DocumentName>(name: N, value: unknown) {
  const checked = checkDocument(name, value);
  if (!checked.ok) throw new Refusal('request_invalid', { violations: checked.violations });
  return checked.document;
}

/**
 * The same value with an id of its own. Without one, a reply lost on the way would make the repeated call a second record;
 * with one, the gateway's own retries are always the same call.
 */
export function withId(value: unknown, member: string): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const given = (value as Record<string, unknown>)[member];
  return given === undefined || given === null ? { ...value, [member]: crypto.randomUUID() } : value;
}

/** A member that the path has said already may stand in the body only with the same value. */
export function withPathMember(value: Record<string, unknown>, member: string, said: string): Record<string, unknown> {
  const given = value[member];
  if (given !== undefined && given !== null && given !== said) {
    const violations: Violation[] = [
      { path: `/${member}`, rule: 'path', message: 'must be what the path says, or absent' },
    ];
    throw new Refusal('request_invalid', { violations });
  }
  return { ...value, [member]: said };
}

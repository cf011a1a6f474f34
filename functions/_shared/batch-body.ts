// A batch's items, each read as strictly as a single body, so that one bad item never harms another.
import { pointer, readStrictJson, type Violation } from '../../src/contract/index.ts';
import { Refusal } from '../../src/database/index.ts';
import { MAX_BATCH_BODY, MAX_BODY, MAX_DEPTH, readBytes, requireJsonType } from './body.ts';
import { memberSlices } from './json-slices.ts';

/** One item as it was read, or what is wrong with its bytes (paths relative to the item). */
export type ReadItem = { ok: true; value: unknown } | { ok: false; refusal: Refusal };

/**
 * The items of `{items: […]}` or of a bare array, in order.
 * Throws when the body as a whole is no such thing, holds no item, or more than `maxItems`.
 */
export async function readItems(request: Request, maxItems: number, extraDepth: number): Promise<ReadItem[]> {
  requireJsonType(request);
  const bytes = await readBytes(request, MAX_BATCH_BODY);
  const texts = itemTexts(decoded(bytes));
  if (texts.length === 0) throw shape('must have at least one item');
  if (texts.length > maxItems) throw shape(`must have at most ${maxItems} items`);
  return texts.map((text) => readItem(text, extraDepth));
}

function readItem(text: string, extraDepth: number): ReadItem {
  const read = readStrictJson(text, { maxBytes: MAX_BODY, maxDepth: MAX_DEPTH + extraDepth });
  if (read.ok) return read;
  const code = read.tooLarge ? 'payload_too_large' : 'json_invalid';
  return { ok: false, refusal: new Refusal(code, { violations: read.violations }) };
}

function itemTexts(text: string): string[] {
  // The platform's parser judges the grammar; the slices then only have to find where members end.
  let whole: unknown;
  try {
    whole = JSON.parse(text);
  } catch {
    const read = readStrictJson(text, { maxBytes: MAX_BATCH_BODY });
    throw new Refusal('json_invalid', { violations: read.ok ? [] : read.violations });
  }
  if (Array.isArray(whole)) return memberSlices(text).map((slice) => slice.text);
  if (typeof whole !== 'object' || whole === null) throw shape('must be an object with items, or an array', '');
  const members = memberSlices(text);
  const items = members.filter((member) => member.key === 'items');
  const strange = members.find((member) => member.key !== 'items');
  if (strange) throw shape('is not a member of a batch', pointer([strange.key]));
  if (items.length > 1) throw shape('must stand once');
  if (!items[0]?.text.startsWith('[')) throw shape('must be an array');
  return memberSlices(items[0].text).map((slice) => slice.text);
}

function decoded(bytes: Uint8Array): string {
  try {
    // A leading byte order mark is dropped by the decoder.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const violations: Violation[] = [{ path: '', rule: 'utf8', message: 'must be UTF-8' }];
    throw new Refusal('json_invalid', { detail: 'The body is not UTF-8.', violations });
  }
}

function shape(message: string, path = '/items'): Refusal {
  const code = path === '' ? 'json_invalid' : 'request_invalid';
  return new Refusal(code, { violations: [{ path, rule: 'batch', message }] });
}

// The keyword `uniqueItems`, at a cost that is bounded.
import type { Ajv2020, ErrorObject } from 'ajv/dist/2020.js';
import { canonicalJson } from '../../src/contract/json/canonical.ts';

/** How many items one array may have, and how much JSON (characters) one check may read, to find duplicates. */
const MAX_UNIQUE_ITEMS = 10_000;
const MAX_UNIQUE_TEXT = 8_388_608;

/** Ajv reads what was wrong from the function itself. */
type UniqueItems = ((wanted: boolean, items: unknown[]) => boolean) & { errors?: Partial<ErrorObject>[] };

/** The stock check compares every pair; this one grows with the size alone. Answers how to start counting again. */
export function replaceUniqueItems(ajv: Ajv2020): () => void {
  let read = 0;
  const validate: UniqueItems = (wanted: boolean, items: unknown[]) => {
    if (!wanted) return true;
    const seen = new Set<string>();
    for (const item of items.length > MAX_UNIQUE_ITEMS ? [] : items) {
      const text = canonicalJson(item);
      read += text.length;
      if (read > MAX_UNIQUE_TEXT) break;
      seen.add(text);
    }
    if (seen.size === items.length) return true;
    const message =
      items.length > MAX_UNIQUE_ITEMS
        ? `must have at most ${MAX_UNIQUE_ITEMS} items to be checked for duplicates`
        : read > MAX_UNIQUE_TEXT
          ? 'is too much to be checked for duplicates'
          : 'must NOT have duplicate items';
    validate.errors = [{ keyword: 'uniqueItems', message, params: {} }];
    return false;
  };
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({ keyword: 'uniqueItems', type: 'array', schemaType: 'boolean', validate });
  return () => {
    read = 0;
  };
}

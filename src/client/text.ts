// In unicode mode a pair is one character, so that this finds halves only.
const LONE_SURROGATE = /[\uD800-\uDFFF]/gu;

/** True when the ledger can store the text exactly: no NUL, no half of a surrogate pair. */
export function isStorableText(text: string): boolean {
  return !text.includes('\0') && text.search(LONE_SURROGATE) === -1;
}

/** The text with every NUL and every half of a surrogate pair replaced by U+FFFD. */
export function toStorableText(text: string): string {
  return text.replaceAll('\0', '\uFFFD').replace(LONE_SURROGATE, '\uFFFD');
}

/** At most `limit` code points of the text; what is cut ends in `…`. Never cuts a character in half. */
export function cutText(text: string, limit: number): string {
  // Code points never outnumber UTF-16 units, so most texts need no walk.
  if (text.length <= limit) return text;
  const points = Array.from(text.slice(0, 2 * limit + 2));
  return points.length <= limit ? points.join('') : `${points.slice(0, limit - 1).join('')}…`;
}

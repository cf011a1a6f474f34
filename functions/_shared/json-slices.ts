// The members of a JSON array or object as the texts they were sent as. The text must be valid JSON: only strings and
// brackets are looked at.

/** One member: its text without surrounding white space, and its key in an object ('' in an array). */
export interface Slice {
  key: string;
  text: string;
}

export function memberSlices(json: string): Slice[] {
  const text = json.trim();
  const inObject = text.startsWith('{');
  const slices: Slice[] = [];
  const end = text.length - 1;
  let depth = 0;
  let begun = 1;
  let key = '';
  const close = (at: number) => {
    const member = text.slice(begun, at).trim();
    if (member !== '') slices.push({ key, text: member });
    begun = at + 1;
    key = '';
  };
  for (let at = 1; at < end; at += 1) {
    const char = text[at];
    if (char === '"') at = endOfString(text, at);
    else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
    else if (depth === 0 && char === ',') close(at);
    else if (depth === 0 && inObject && char === ':' && key === '') {
      key = JSON.parse(text.slice(begun, at)) as string;
      begun = at + 1;
    }
  }
  close(end);
  return slices;
}

/** The index of the quote that ends the string begun at `from`. */
function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}

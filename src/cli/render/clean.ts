/**
 * What an agent wrote (ids, messages, domains) is printed with its control characters spelled out, so that a recorded
 * escape sequence can neither move the reader's cursor nor hide a line. Line breaks and tabs become visible too:
 * every value stays on its own line.
 */
export function clean(value: unknown): string {
  const text = typeof value === 'string' ? value : value === null || value === undefined ? '' : JSON.stringify(value);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, spell);
}

function spell(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\t') return '\\t';
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}

/** SHA-256 in lower-case hexadecimal, of bytes, or of a text as UTF-8. */
export async function sha256(content: Uint8Array<ArrayBuffer> | string): Promise<string> {
  const bytes = typeof content === 'string' ? new TextEncoder().encode(content) : content;
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

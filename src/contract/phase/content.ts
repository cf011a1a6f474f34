import type { FileContent } from './input.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** `String.fromCharCode` takes its arguments from the stack, which is not deep. */
const PIECE = 0x8000;

/** A file's bytes as they are handed over: text where they are UTF-8 without NUL, which gives the same bytes back, else base64. */
export function contentOf(bytes: Uint8Array): FileContent {
  if (!bytes.includes(0)) {
    try {
      return utf8.decode(bytes);
    } catch {
      // Not UTF-8.
    }
  }
  let binary = '';
  for (let at = 0; at < bytes.length; at += PIECE) binary += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  return { base64: btoa(binary) };
}

/** The bytes that `contentOf` was given. */
export function bytesOfContent(content: FileContent): Uint8Array {
  if (typeof content === 'string') return new TextEncoder().encode(content);
  return Uint8Array.from(atob(content.base64), (character) => character.charCodeAt(0));
}

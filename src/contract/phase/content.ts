// What a file's content is: the one place that says what is text, and that decodes what came in base64.
import type { FileContent } from './input.ts';

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
/** `String.fromCharCode` takes its arguments from the stack, which is not deep. */
const PIECE = 0x8000;

/** A file's bytes as they are handed over: text where they are text, which gives the same bytes back, else base64. */
export function contentOf(bytes: Uint8Array): FileContent {
  const text = textOf(bytes);
  if (text !== undefined) return text;
  let binary = '';
  for (let at = 0; at < bytes.length; at += PIECE) binary += String.fromCharCode(...bytes.subarray(at, at + PIECE));
  return { base64: btoa(binary) };
}

/** The bytes that `contentOf` was given. */
export function bytesOf(content: FileContent): Uint8Array<ArrayBuffer> {
  return typeof content === 'string' ? new TextEncoder().encode(content) : decodedOf(content).bytes;
}

/** Whether it is text: UTF-8 without NUL, in whichever form it was handed over. */
export function isText(content: FileContent): boolean {
  return typeof content === 'string' ? !content.includes('\0') : decodedOf(content).isText;
}

interface Decoded {
  bytes: Uint8Array<ArrayBuffer>;
  isText: boolean;
}

/** A conclusion asks several times what a file of many MiB is; it is decoded once, and forgotten with its content. */
const decoded = new WeakMap<object, Decoded>();

function decodedOf(content: { base64: string }): Decoded {
  const known = decoded.get(content);
  if (known) return known;
  const binary = atob(content.base64);
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < binary.length; at += 1) bytes[at] = binary.charCodeAt(at);
  const made = { bytes, isText: textOf(bytes) !== undefined };
  decoded.set(content, made);
  return made;
}

/** Undefined where the bytes are no text. */
function textOf(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return utf8.decode(bytes);
  } catch {
    // Not UTF-8.
    return undefined;
  }
}

import { readFile } from 'node:fs/promises';
import { buffer } from 'node:stream/consumers';
import { unreadable } from './failure.ts';

/** A file's bytes, or those of standard input for `-`; exit 2 when it cannot be read. */
export async function bytesOf(file: string): Promise<Uint8Array> {
  try {
    return file === '-' ? await buffer(process.stdin) : await readFile(file);
  } catch (cause) {
    throw unreadable(
      `${nameOfFile(file)} cannot be read (${(cause as NodeJS.ErrnoException).code ?? 'unknown reason'})`,
    );
  }
}

/** A text file in UTF-8. */
export async function textOf(file: string): Promise<string> {
  const bytes = await bytesOf(file);
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    throw unreadable(`${nameOfFile(file)} is not UTF-8 text`);
  }
}

export function nameOfFile(file: string): string {
  return file === '-' ? 'standard input' : file;
}

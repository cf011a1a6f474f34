import type { FileHandle } from 'node:fs/promises';

/** A file's bytes; undefined when there are more than `most`. It may grow while it is read, so its size alone is no bound. */
export async function readAtMost(handle: FileHandle, most: number): Promise<Uint8Array | undefined> {
  const { size } = await handle.stat();
  if (size > most) return undefined;
  let buffer = Buffer.alloc(size + 1);
  let length = 0;
  for (;;) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length);
    if (bytesRead === 0) return buffer.subarray(0, length);
    length += bytesRead;
    if (length > most) return undefined;
    if (length === buffer.length) buffer = Buffer.concat([buffer, Buffer.alloc(buffer.length)]);
  }
}

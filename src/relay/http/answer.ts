import type { IncomingMessage } from 'node:http';

/** Of an answer's body no more than this is read. */
export const MAX_ANSWER_BYTES = 64 * 1024;
/** Of what was read so much is kept for people. */
const KEPT_CHARACTERS = 300;

/** Reads a body to its end, to the limit, or until it breaks off: its answer's status counts all the same. */
export function readBody(response: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const done = () => resolve(Buffer.concat(chunks, size));
    response.on('data', (chunk: Buffer) => {
      const room = MAX_ANSWER_BYTES - size;
      const part = chunk.subarray(0, room);
      chunks.push(part);
      size += part.length;
      if (chunk.length > room) {
        // Ends the connection: nobody waits for the rest of ten megabytes.
        response.destroy();
        done();
      }
    });
    response.once('end', done);
    response.once('close', done);
    response.once('error', done);
  });
}

/** The beginning of a body in one line of printable text. */
export function wordsOf(body: Buffer): string {
  const text = body.subarray(0, 4 * KEPT_CHARACTERS).toString('utf8');
  return cut(text.replaceAll(/[\p{C}\p{Z}\s]+/gu, ' ').trim(), KEPT_CHARACTERS);
}

/** The beginning of a text, in whole characters: half of one is nothing that the ledger can store. */
export function cut(text: string, characters: number): string {
  return [...text].slice(0, characters).join('');
}

/** Retry-After (RFC 9110) in milliseconds from now: seconds or a date; null when absent or neither. */
export function retryAfterMs(value: string | undefined, now: number = Date.now()): number | null {
  if (value === undefined) return null;
  if (/^\d{1,9}$/.test(value.trim())) return Number(value) * 1000;
  // An HTTP date, and nothing else that Date would take for one.
  const date = /^\w{3,9}, .* GMT$/.test(value.trim()) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? null : Math.max(0, date - now);
}

import { createHash } from 'node:crypto';

const EXCERPT_BYTES = 4096;

/** What a verification printed: counted and digested whole, kept as its last part alone, however much it is. */
export class Output {
  readonly #hash = createHash('sha256');
  #bytes = 0;
  #tail: Buffer = Buffer.alloc(0);

  take(chunk: Buffer): void {
    this.#hash.update(chunk);
    this.#bytes += chunk.length;
    const joined = chunk.length >= EXCERPT_BYTES ? chunk : Buffer.concat([this.#tail, chunk]);
    // A copy: a slice would keep the whole chunk.
    this.#tail = Buffer.from(joined.subarray(Math.max(0, joined.length - EXCERPT_BYTES)));
  }

  /** `excerpt` is text that can be stored: no code point cut at its begin, nothing that is no UTF-8, no U+0000. */
  done(): { bytes: number; sha256: string; excerpt: string } {
    let start = 0;
    const cut = this.#bytes > this.#tail.length;
    while (cut && start < 4 && isContinuation(this.#tail[start])) start += 1;
    const text = this.#tail.subarray(start).toString('utf8').replaceAll('\0', '\ufffd');
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex'), excerpt: bounded(text) };
  }
}

const isContinuation = (byte: number | undefined) => byte !== undefined && (byte & 0xc0) === 0x80;

/** A byte that is no UTF-8 becomes three: what they make too long goes at the begin. */
function bounded(text: string): string {
  let kept = text;
  while (Buffer.byteLength(kept) > EXCERPT_BYTES) kept = [...kept].slice(Math.ceil(kept.length / 8)).join('');
  return kept;
}

/** A place in a text: both from 1, the column in code points. A line ends with U+000A. */
export interface Place {
  line: number;
  column: number;
}

const LINE_FEED = 0x0a;

/** Finds places in one text, by the offset in its UTF-16 units or in the bytes of its UTF-8. */
export class Places {
  readonly #text: string;
  #lines: number[] | undefined;
  #bytes: { readonly bytes: Uint8Array; readonly lines: number[] } | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** @param index from 0, in UTF-16 units; beyond the end is the end */
  at(index: number): Place {
    this.#lines ??= lineStarts(this.#text.length, (at) => this.#text.charCodeAt(at));
    const { line, start } = lineAt(this.#lines, index);
    let column = 1;
    for (const _ of this.#text.slice(start, index)) column += 1;
    return { line, column };
  }

  /** @param offset from 0, in bytes; an offset inside a character is the character's */
  atByte(offset: number): Place {
    this.#bytes ??= bytesOf(this.#text);
    const { bytes, lines } = this.#bytes;
    let end = Math.min(offset, bytes.length);
    while (end > 0 && continues(bytes[end])) end -= 1;
    const { line, start } = lineAt(lines, end);
    let column = 1;
    for (const byte of bytes.subarray(start, end)) if (!continues(byte)) column += 1;
    return { line, column };
  }
}

/** Bytes 10xxxxxx continue a character. */
function continues(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function bytesOf(text: string): { bytes: Uint8Array; lines: number[] } {
  const bytes = new TextEncoder().encode(text);
  return { bytes, lines: lineStarts(bytes.length, (at) => bytes[at] ?? 0) };
}

function lineStarts(length: number, unitAt: (index: number) => number): number[] {
  const starts = [0];
  for (let index = 0; index < length; index++) if (unitAt(index) === LINE_FEED) starts.push(index + 1);
  return starts;
}

/** The line that holds an offset, from 1, and where it starts. */
function lineAt(starts: readonly number[], offset: number): { line: number; start: number } {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return { line: low + 1, start: starts[low] ?? 0 };
}

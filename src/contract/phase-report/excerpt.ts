const LONGEST = 200;

/** The beginning of a text that comes in pieces: white space flattened to single spaces, cut at 200 code points and an ellipsis. */
export class Excerpt {
  #kept = '';
  #gap = false;

  add(text: string): void {
    if (this.full) return;
    for (const [word, blank] of text.matchAll(/\S{1,500}|(\s+)/g)) {
      if (blank !== undefined) this.#gap = this.#kept !== '';
      else {
        this.#kept += (this.#gap ? ' ' : '') + word;
        this.#gap = false;
      }
      if (this.full) return;
    }
  }

  /** Nothing that comes now can show. */
  get full(): boolean {
    return this.#kept.length > 2 * LONGEST;
  }

  toString(): string {
    const points = [...this.#kept];
    return points.length <= LONGEST ? this.#kept : `${points.slice(0, LONGEST).join('')}…`;
  }
}

import { MARKER, readBlock } from './block.ts';
import { type Claim, claimOf } from './claim.ts';
import { Excerpt } from './excerpt.ts';
import { REPORT_STATES, type ReportState } from './words.ts';

/** What an agent said of its run, over all its messages. */
export interface PhaseReport {
  state: ReportState;
  /** The claim that stands: the strongest, of equals the later; null when there is none. */
  stands: Claim | null;
  /** The first claims, in order, at most 100, long ones cut; the one that stands is among them or beside them. */
  claims: Claim[];
  /** How many there were. */
  seen: number;
}

const MOST_KEPT = 100;
const LONGEST_KEPT = 16 * 1024;
/** A block that is not all there yet is looked at again when the text has doubled, so that pieces of one byte cost no more. */
const LOOK_AGAIN = 4_096;

/**
 * Reads an agent's messages as they arrive, in pieces of any size, and keeps what they claim (phase-outcomes-rules.md
 * sections 1 to 3). One reader is one run of an agent: the next run gets a new one. Linear in the text, whatever it holds; it
 * keeps no more of a message than a block may have. It never throws.
 */
export class PhaseReportReader {
  readonly #report: PhaseReport = { state: 'not_reported', stands: null, claims: [], seen: 0 };
  #decoder: TextDecoder | null = null;
  /** Of the message so far, what may still matter; it begins with a marker while a block is not all there yet. */
  #text = '';
  #lookAt = 0;
  /** Whether the message has a closed block: then those that are not closed are dropped. */
  #closed = false;
  /** From the last marker whose block is not closed. */
  #unclosed: Excerpt | null = null;

  /** Takes a piece of the current message: text, or bytes of UTF-8 (of which letters may be cut). */
  push(piece: string | Uint8Array): void {
    if (typeof piece === 'string') this.#take(piece);
    else {
      this.#decoder ??= new TextDecoder();
      this.#take(this.#decoder.decode(piece, { stream: true }));
    }
  }

  /** The current message is complete; the next piece begins another. */
  endMessage(): void {
    this.#take(this.#decoder?.decode() ?? '');
    this.#scan(true);
    if (this.#unclosed && !this.#closed) this.#keep(unclosed(this.#unclosed.toString()));
    this.#decoder = null;
    this.#text = '';
    this.#lookAt = 0;
    this.#closed = false;
    this.#unclosed = null;
  }

  /** What the messages so far have said. */
  report(): PhaseReport {
    return { ...this.#report, claims: [...this.#report.claims] };
  }

  #take(text: string): void {
    this.#unclosed?.add(text);
    this.#text += text;
    if (this.#text.length >= this.#lookAt) this.#scan(false);
  }

  #scan(whole: boolean): void {
    let from = 0;
    let lastUnclosed = -1;
    let keepFrom = -1;
    for (;;) {
      const marker = this.#text.indexOf(MARKER, from);
      if (marker < 0) break;
      const block = readBlock(this.#text, marker + MARKER.length, whole);
      if (block.kind === 'more') {
        keepFrom = marker;
        break;
      }
      if (block.kind === 'unclosed') lastUnclosed = marker;
      else {
        this.#closed = true;
        this.#keep(claimOf(block.value, { ...block, text: this.#text.slice(marker, block.resume) }));
      }
      from = block.resume;
    }
    if (lastUnclosed >= 0 && !this.#closed) {
      this.#unclosed = new Excerpt();
      this.#unclosed.add(this.#text.slice(lastUnclosed));
    }
    const waits = keepFrom >= 0;
    // The beginning of a marker may be the end of this piece.
    this.#text = this.#text.slice(waits ? keepFrom : Math.max(from, this.#text.length - MARKER.length + 1));
    this.#lookAt = waits ? Math.max(LOOK_AGAIN, 2 * this.#text.length) : 0;
  }

  #keep(claim: Claim): void {
    const report = this.#report;
    report.seen += 1;
    if (report.claims.length < MOST_KEPT) report.claims.push(shortened(claim));
    if (REPORT_STATES.indexOf(claim.state) < REPORT_STATES.indexOf(report.state)) return;
    report.state = claim.state;
    report.stands = claim;
  }
}

/** A hundred reports of a megabyte each are not kept whole; the one that stands is. */
function shortened(claim: Claim): Claim {
  const [text, comments] = [claim.text, claim.comments].map((words) =>
    words.length <= LONGEST_KEPT ? words : `${[...words.slice(0, LONGEST_KEPT)].slice(0, -1).join('')}…`,
  );
  return { ...claim, text: text ?? '', comments: comments ?? '' };
}

function unclosed(text: string): Claim {
  const warnings = ['a TASK_RESULT block was begun and not closed, or holds no JSON'];
  return {
    state: 'unreadable',
    failure_reason: null,
    side_effects: null,
    comments: '',
    by_alias: false,
    text,
    warnings,
  };
}

/** Reads whole messages, in order. */
export function readMessages(messages: Iterable<string>): PhaseReport {
  const reader = new PhaseReportReader();
  for (const message of messages) {
    reader.push(message);
    reader.endMessage();
  }
  return reader.report();
}

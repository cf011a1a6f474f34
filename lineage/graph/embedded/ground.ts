import { statfsSync, statSync } from 'node:fs';
import { GraphFault } from '../fault.ts';

const MIB = 2 ** 20;
/** Bytes left free for the batch in hand. */
const RESERVE = 32 * MIB;
/** A checkpoint writes what the log holds once more, beside it, before it deletes the log. */
const LOGS_NEEDED = 2;

/**
 * What the files of a graph stand on: their disk and their folder. The library must not meet the end of either: it ends the
 * process when it gives up a log that it could not write, and goes on writing files that somebody has deleted.
 */
export class Ground {
  readonly #directory: string;
  readonly #file: string;
  #identity: string | null = null;

  constructor(directory: string, file: string) {
    this.#directory = directory;
    this.#file = file;
  }

  /** The files that stand there now are the opened ones. */
  noteOpened(): void {
    this.#identity = identityOf(this.#file);
  }

  /** Were the opened files deleted, or others put in their place? */
  get lost(): boolean {
    return this.#identity !== null && this.#identity !== identityOf(this.#file);
  }

  /** @throws GraphFault `graph_gone` */
  refuseLost(): void {
    if (!this.lost) return;
    throw new GraphFault('whole', 'graph_gone', `somebody took away the files of the graph in ${this.#directory}`, {
      remedy: 'Nothing needs doing: the worker makes the graph anew and fills it from the ledger.',
    });
  }

  /**
   * @param log bytes that are to be written into the files some time
   * @throws GraphFault `graph_disk_full`
   */
  refuseFull(log: number): void {
    const [left, needed] = [bytesLeft(this.#directory), RESERVE + LOGS_NEEDED * log];
    if (left >= needed) return;
    throw diskFull(this.#directory, left, needed);
  }
}

/** The fault of a disk on which too little is left for any graph. */
export function fullDisk(directory: string): GraphFault | undefined {
  const left = bytesLeft(directory);
  return left < RESERVE ? diskFull(directory, left, RESERVE) : undefined;
}

/** Some file systems count no blocks: what they have is not known, and they are never full. */
function bytesLeft(directory: string): number {
  const { blocks, bavail, bsize } = statfsSync(directory);
  return blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize;
}

function diskFull(directory: string, left: number, needed: number): GraphFault {
  const [has, wants] = [Math.floor(left / MIB), Math.ceil(needed / MIB)];
  return new GraphFault(
    'whole',
    'graph_disk_full',
    `the disk of ${directory} is full: ${has} MiB are left, and the graph in it needs ${wants}`,
    { remedy: 'Free space on that disk. Nothing is lost meanwhile, and the worker goes on by itself.' },
  );
}

function identityOf(file: string): string {
  const found = statSync(file, { bigint: true, throwIfNoEntry: false });
  return found ? `${found.dev} ${found.ino}` : 'none';
}

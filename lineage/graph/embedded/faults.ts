import type { FaultKind } from '../fault.ts';
import { GraphFault, GraphRefused, PositionMoved, QueryRefused } from '../fault.ts';

/** LadybugDB has no error codes, only sentences: what they mean here, and the code that stands for them. */
const MEANINGS: readonly { says: RegExp; kind: FaultKind; code: string; hint: string; remedy?: string }[] = [
  {
    says: /Unable to allocate memory|buffer pool is full/i,
    kind: 'passing',
    code: 'buffer_pool_full',
    hint: 'the batch needs more memory than the buffer pool has; a smaller one may pass',
  },
  {
    says: /Only one write transaction at a time|Timeout waiting for active|Interrupted/i,
    kind: 'passing',
    code: 'graph_busy',
    hint: 'something else is at work in this graph',
  },
  {
    says: /Maximum database size/i,
    kind: 'whole',
    code: 'graph_full',
    hint: 'the files reached the size they were opened for; close and open the graph',
  },
  {
    says: /No space left|disk full|File too large|Read-only file system|Cannot (write|open|truncate|sync)|IO exception/i,
    kind: 'whole',
    code: 'graph_files',
    hint: 'its files cannot be written',
    remedy:
      'Look at the disk (space, limits on files) and at the rights of the graph’s folder. Nothing is lost meanwhile.',
  },
  {
    says: /violates the (uniqueness|non-null) constraint|Overflow exception|Conversion exception|Cast failed|invalid (UTF-8|unicode)/i,
    kind: 'row',
    code: 'row_refused',
    hint: 'a value does not fit its column',
  },
];

const OURS = [GraphFault, GraphRefused, PositionMoved, QueryRefused];

/** What the library threw, as a fault with a kind. What nobody understands concerns the whole batch: nothing is parked for it. */
export function faultOf(error: unknown, directory: string): Error {
  if (OURS.some((kind) => error instanceof kind)) return error as Error;
  const said = error instanceof Error ? error.message : String(error);
  const meaning = MEANINGS.find(({ says }) => says.test(said));
  if (!meaning) {
    return new GraphFault('whole', 'graph_unexpected', `the embedded graph failed: ${said}`, {
      cause: error,
      remedy: `Its files may be damaged. Should it last: ${refillOf(directory)}`,
    });
  }
  const { kind, code, hint, remedy } = meaning;
  return new GraphFault(kind, code, `the embedded graph: ${hint} (${said})`, { cause: error, remedy });
}

/** What mends files that cannot be used as they are. */
export function refillOf(directory: string): string {
  return `Delete ${directory}: it is a mirror, and the worker fills it again from the ledger.`;
}

/** Why a directory could not be opened, with what to do. */
export function openingFault(error: unknown, directory: string): Error {
  if (OURS.some((kind) => error instanceof kind)) return error as Error;
  const said = error instanceof Error ? error.message : String(error);
  const refill = refillOf(directory);
  if (/Could not set lock|Lock is held/i.test(said)) {
    const holder = /PID (\d+)/i.exec(said)?.[1];
    return new GraphFault(
      'passing',
      'graph_locked',
      `the embedded graph in ${directory} is open in another process${holder ? ` (pid ${holder})` : ''}, and one process at a time opens its files. ` +
        'Ask that one (`outcome-ledger cypher` does), or stop it.',
      { cause: error },
    );
  }
  if (/different version|storage version/i.test(said)) {
    return new GraphRefused(
      'graph_outdated',
      `the files in ${directory} were written by another version of the embedded graph: ${said}`,
      refill,
    );
  }
  if (/not a valid|Not a directory|EEXIST|ENOTDIR/i.test(said)) {
    return new GraphRefused(
      'graph_foreign',
      `${directory} holds something else than an embedded graph: ${said}`,
      'Name another directory, or move away what is there.',
    );
  }
  if (/EACCES|EROFS|EPERM|ENOENT.*mkdir|Permission denied|Read-only file system|No space left|ENOSPC/i.test(said)) {
    return new GraphFault('whole', 'graph_files', `the directory ${directory} cannot be written: ${said}`, {
      cause: error,
      remedy: `Give the worker room and rights in ${directory}; it tries again by itself.`,
    });
  }
  return new GraphFault('whole', 'graph_damaged', `the embedded graph in ${directory} cannot be opened: ${said}`, {
    cause: error,
    remedy: refill,
  });
}

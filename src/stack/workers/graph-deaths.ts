import { fullDisk } from '../../../lineage/graph/embedded/ground.ts';
import type { StateReason } from '../state.ts';

/** How a process ends in which native code fell over. */
const CRASHES = new Set(['SIGABRT', 'SIGSEGV', 'SIGBUS', 'SIGILL', 'SIGFPE', 'code 134', 'code 139']);
/** What the library says of files that it cannot write before it aborts. */
const UNWRITABLE = /IO exception: (Cannot (write|open|truncate|sync)|.*(No space left|File too large|Read-only))/;

/**
 * Why a worker died that has the embedded graph in `directory` open: it cannot say so itself, as its library takes the process
 * with it when it cannot write its files, or reads damaged ones.
 */
export function explainGraphDeath(directory: string, how: string, lastWords: string): StateReason | undefined {
  if (!CRASHES.has(how)) return undefined;
  const full = diskOf(directory);
  if (full) return full;
  if (UNWRITABLE.test(lastWords)) {
    return {
      code: 'graph_files',
      message: `the sync worker ended (${how}), as the files of the graph in ${directory} could not be written`,
      remedy:
        'look at the disk (space, limits on files) and at the rights of that folder; the worker tries again by itself',
    };
  }
  return {
    code: 'graph_damaged',
    message: `the sync worker crashed (${how}); the files of the graph in ${directory} may be damaged`,
    remedy: `should it come again: delete ${directory}; it is a mirror, and the worker fills it again from the ledger`,
  };
}

function diskOf(directory: string): StateReason | undefined {
  try {
    const fault = fullDisk(directory);
    return fault && { code: fault.code, message: fault.message, remedy: fault.remedy ?? '' };
  } catch {
    // No folder, no disk.
    return undefined;
  }
}

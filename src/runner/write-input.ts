import { pathFault } from '../contract/phase/input.ts';
import { errnoOf, unreadable, WorkspaceFault } from './faults.ts';
import { type Folder, openWorkspace } from './folder.ts';

/** Where an agent finds what earlier phases left. */
export const INPUT_DIRECTORY = 'artifacts/input/';

/**
 * Writes one input of a phase into a workspace, below `artifacts/input/`. It goes through no symbolic link and never
 * above the workspace, whatever the path says; replaces nothing. The same bytes again are the same file.
 *
 * @throws WorkspaceFault `input_path_refused`, `input_exists` or `workspace_unreadable`, with the path
 */
export async function writeInput(workspace: string, path: string, bytes: Uint8Array): Promise<'written' | 'unchanged'> {
  const fault = pathFault(path) ?? (isInput(path) ? undefined : `is not below ${INPUT_DIRECTORY}`);
  if (fault !== undefined) {
    throw new WorkspaceFault('input_path_refused', path, `the path ${fault}`, 'this input was not written');
  }
  const open: Folder[] = [await openWorkspace(workspace)];
  const segments = path.split('/');
  const name = segments.pop() ?? '';
  let reached = '';
  try {
    for (const segment of segments) {
      reached += `${reached && '/'}${segment}`;
      open.push(await (open.at(-1) as Folder).ensureFolder(segment));
    }
    reached = path;
    return await place(open.at(-1) as Folder, name, bytes, path);
  } catch (error) {
    if (error instanceof WorkspaceFault) throw error;
    throw IN_THE_WAY.has(errnoOf(error) ?? '') ? exists(reached, error) : unreadable(reached, error);
  } finally {
    for (const folder of open.reverse()) await folder.close();
  }
}

const IN_THE_WAY = new Set(['ELOOP', 'EMLINK', 'ENOTDIR', 'EEXIST', 'EISDIR', 'ENXIO', 'ENOTEMPTY']);

const isInput = (path: string): boolean => path.startsWith(INPUT_DIRECTORY) && path.length > INPUT_DIRECTORY.length;

async function place(folder: Folder, name: string, bytes: Uint8Array, path: string): Promise<'written' | 'unchanged'> {
  const found = await folder.look(name).catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return undefined;
    throw error;
  });
  if (!found) {
    await folder.write(name, bytes);
    return 'written';
  }
  try {
    const same =
      found.stats.isFile() &&
      found.stats.size === bytes.length &&
      Buffer.from(bytes).equals(await found.handle.readFile());
    if (!same) throw exists(path);
    return 'unchanged';
  } finally {
    await found.handle.close();
  }
}

function exists(path: string, cause?: unknown): WorkspaceFault {
  return new WorkspaceFault(
    'input_exists',
    path,
    `something else stands at ${path} of the workspace, and nothing is replaced`,
    'give each attempt a workspace of its own, or remove artifacts/input from this one',
    { cause },
  );
}

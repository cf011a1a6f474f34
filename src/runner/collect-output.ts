import type { FileHandle } from 'node:fs/promises';
import { LARGE_BODY_MAX_BYTES } from '../contract/limits.ts';
import { isJunkFolder } from '../contract/phase/artifacts.ts';
import { contentOf } from '../contract/phase/content.ts';
import { MOST_FILES, OUTPUT_DIRECTORY, type PhaseFile, pathFault } from '../contract/phase/input.ts';
import { errnoOf, tooLarge, tooLargeToSend, tooMany, unreadable, WorkspaceFault } from './faults.ts';
import { type Folder, openWorkspace } from './folder.ts';
import { readAtMost } from './read-at-most.ts';
import { kindOf, reasonOf } from './skip-reasons.ts';

export interface CollectLimits {
  /** Files, folders and all else that may lie there; default 10,000, which is what a conclusion takes. */
  maxEntries?: number;
  /** Bytes of all files together; default 16 MiB. */
  maxBytes?: number;
  /** Bytes of all files together as the JSON they are sent in, which has more; default 16 MiB, which is what one request takes. */
  maxJsonBytes?: number;
}

/** What an agent left below `artifacts/output/`, ready to be concluded with. */
export interface CollectedOutput {
  /** The files of a folder by name, then those of its folders. Text where it is UTF-8 without NUL, else base64. */
  files: PhaseFile[];
  /** What was not taken, and why, for people. */
  skipped: { path: string; reason: string }[];
}

/**
 * Reads every file below `artifacts/output/` of a workspace. It follows no symbolic link, also none that takes the
 * place of a directory or file while it reads; takes regular files alone; leaves out build junk (`__pycache__`,
 * `.pytest_cache`). A missing directory is an agent that wrote nothing. Hard links are files like any other: who runs
 * an agent as another user keeps `fs.protected_hardlinks` on.
 *
 * @throws WorkspaceFault `workspace_unreadable` or `output_too_large`, with the path
 */
export async function collectOutput(workspace: string, limits: CollectLimits = {}): Promise<CollectedOutput> {
  const { maxEntries = MOST_FILES, maxBytes = LARGE_BODY_MAX_BYTES, maxJsonBytes = LARGE_BODY_MAX_BYTES } = limits;
  const collector = new Collector({ maxEntries, maxBytes, maxJsonBytes });
  try {
    await collector.collect(workspace);
  } catch (error) {
    throw error instanceof WorkspaceFault ? error : unreadable(OUTPUT_DIRECTORY, error);
  }
  const { files, skipped } = collector;
  return { files, skipped: skipped.sort((a, b) => (a.path < b.path ? -1 : 1)) };
}

class Collector {
  readonly files: PhaseFile[] = [];
  readonly skipped: CollectedOutput['skipped'] = [];
  readonly #limits: Required<CollectLimits>;
  #entries = 0;
  #bytes = 0;
  #jsonBytes = 0;

  constructor(limits: Required<CollectLimits>) {
    this.#limits = limits;
  }

  async collect(workspace: string): Promise<void> {
    const top = await openWorkspace(workspace);
    const [artifacts = '', output = ''] = OUTPUT_DIRECTORY.split('/');
    try {
      const parent = await this.#folder(top, artifacts, artifacts);
      if (!parent) return;
      try {
        const path = `${artifacts}/${output}`;
        const folder = await this.#folder(parent, output, path);
        if (folder) await this.#walk(folder, path);
      } finally {
        await parent.close();
      }
    } finally {
      await top.close();
    }
  }

  /** One of the two directories above; undefined when there is none. */
  async #folder(parent: Folder, name: string, path: string): Promise<Folder | undefined> {
    try {
      return await parent.folder(name);
    } catch (error) {
      if (errnoOf(error) !== 'ENOENT') this.#skip(path, error);
      return undefined;
    }
  }

  /** Closes the folder. */
  async #walk(folder: Folder, path: string): Promise<void> {
    try {
      const { files, folders } = await this.#list(folder, path);
      for (const name of files) await this.#take(folder, name, `${path}/${name}`, folders);
      for (const name of folders.sort()) await this.#descend(folder, name, `${path}/${name}`);
    } finally {
      await folder.close();
    }
  }

  async #list(folder: Folder, path: string): Promise<{ files: string[]; folders: string[] }> {
    const files: string[] = [];
    const folders: string[] = [];
    for await (const entry of await folder.entries()) {
      this.#entries += 1;
      if (this.#entries > this.#limits.maxEntries) throw tooMany(this.#limits.maxEntries);
      const name = entry.name.toString();
      const fault = Buffer.from(name).equals(entry.name) ? pathFault(`${path}/${name}`) : 'is not UTF-8';
      if (fault !== undefined) this.skipped.push({ path: `${path}/${name}`, reason: `its path ${fault}` });
      else if (entry.isDirectory()) folders.push(name);
      else if (entry.isFile()) files.push(name);
      else this.skipped.push({ path: `${path}/${name}`, reason: `is ${kindOf(entry)}` });
    }
    return { files: files.sort(), folders };
  }

  async #descend(parent: Folder, name: string, path: string): Promise<void> {
    if (isJunkFolder(name)) return;
    let folder: Folder;
    try {
      folder = await parent.folder(name);
    } catch (error) {
      this.#skip(path, error);
      return;
    }
    await this.#walk(folder, path);
  }

  /** What the list called a file may be another thing by now: the descriptor says what it is. */
  async #take(folder: Folder, name: string, path: string, folders: string[]): Promise<void> {
    let handle: FileHandle;
    try {
      const found = await folder.look(name);
      handle = found.handle;
      if (!found.stats.isFile()) {
        await handle.close();
        if (found.stats.isDirectory()) folders.push(name);
        else this.skipped.push({ path, reason: `is ${kindOf(found.stats)}` });
        return;
      }
    } catch (error) {
      this.#skip(path, error);
      return;
    }
    try {
      this.#add({ path, content: contentOf(await this.#read(handle, path)) });
    } finally {
      await handle.close();
    }
  }

  #add(file: PhaseFile): void {
    // One more for the comma.
    this.#jsonBytes += Buffer.byteLength(JSON.stringify(file)) + 1;
    if (this.#jsonBytes > this.#limits.maxJsonBytes) throw tooLargeToSend(file.path, this.#limits.maxJsonBytes);
    this.files.push(file);
  }

  async #read(handle: FileHandle, path: string): Promise<Uint8Array> {
    const bytes = await readAtMost(handle, this.#limits.maxBytes - this.#bytes);
    if (!bytes) throw tooLarge(path, this.#limits.maxBytes);
    this.#bytes += bytes.length;
    return bytes;
  }

  #skip(path: string, error: unknown): void {
    const reason = reasonOf(error);
    if (reason === undefined) throw unreadable(path, error);
    this.skipped.push({ path, reason });
  }
}

import { randomUUID } from 'node:crypto';
import { constants, type Dir, type Dirent, type Stats } from 'node:fs';
import { type FileHandle, lstat, mkdir, open, opendir, rename, stat, unlink } from 'node:fs/promises';
import { unreadable } from './faults.ts';

const { O_RDONLY, O_WRONLY, O_CREAT, O_EXCL, O_DIRECTORY, O_NOFOLLOW, O_NONBLOCK, O_NOCTTY } = constants;

/** A name in a directory: bytes where it may be no UTF-8. */
export type Name = string | Buffer;

/**
 * A directory held open. What lies in it is reached through the descriptor, not through a path, so that nobody who
 * swaps a directory for a link meanwhile leads us elsewhere. Node has no `openat`; `/proc/self/fd` gives the same on
 * Linux. Elsewhere each opening is compared with what the path means before and after, which only swaps there and back
 * at the right moments can deceive.
 */
export class Folder {
  readonly #handle: FileHandle;
  readonly #path: string;
  readonly #parent: Folder | null;
  readonly #throughDescriptor: boolean;

  private constructor(handle: FileHandle, path: string, parent: Folder | null, throughDescriptor: boolean) {
    this.#handle = handle;
    this.#path = path;
    this.#parent = parent;
    this.#throughDescriptor = throughDescriptor;
  }

  /** A directory that the caller names; its path may lead through links. */
  static async open(path: string): Promise<Folder> {
    const handle = await open(path, O_RDONLY | O_DIRECTORY);
    return new Folder(handle, path, null, await isReachable(handle));
  }

  /** A directory in this one; ELOOP or ENOTDIR when it is a link or no directory. */
  async folder(name: Name): Promise<Folder> {
    const handle = await this.#open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW);
    return new Folder(handle, `${this.#path}/${name}`, this, this.#throughDescriptor);
  }

  /** Makes the directory when it is missing, and opens it. */
  async ensureFolder(name: string): Promise<Folder> {
    await mkdir(this.#at(name)).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    });
    return this.folder(name);
  }

  /** What is in it, in the order of the disk. */
  entries(): Promise<AsyncIterable<Dirent<Buffer>>> {
    const path = this.#throughDescriptor ? descriptorPath(this.#handle) : this.#path;
    // The types of opendir know no names as bytes; the function does.
    return opendir(path, { encoding: 'buffer' as BufferEncoding }) as Promise<Dir> as Promise<never>;
  }

  /**
   * Opens what is there for reading and says what it is. A link is ELOOP; a pipe nobody writes to does not block.
   */
  async look(name: Name): Promise<{ handle: FileHandle; stats: Stats }> {
    const handle = await this.#open(name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    try {
      return { handle, stats: await handle.stat() };
    } catch (error) {
      await handle.close();
      throw error;
    }
  }

  /** Writes a file under a name that is free, whole or not at all. */
  async write(name: string, bytes: Uint8Array): Promise<void> {
    const partial = `.${randomUUID()}.partial`;
    const handle = await this.#open(partial, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW);
    try {
      await handle.writeFile(bytes);
      await rename(this.#at(partial), this.#at(name));
    } catch (error) {
      await unlink(this.#at(partial)).catch(() => undefined);
      throw error;
    } finally {
      await handle.close();
    }
  }

  close(): Promise<void> {
    return this.#handle.close();
  }

  async #open(name: Name, flags: number): Promise<FileHandle> {
    const handle = await open(this.#at(name), flags, 0o666);
    if (!this.#throughDescriptor && (await this.#deceived(name, handle))) {
      await handle.close();
      throw Object.assign(new Error('a directory was replaced while it was read'), { code: 'ELOOP' });
    }
    return handle;
  }

  #at(name: Name): Name {
    const base = this.#throughDescriptor ? descriptorPath(this.#handle) : this.#path;
    return typeof name === 'string' ? `${base}/${name}` : Buffer.concat([Buffer.from(`${base}/`), name]);
  }

  /** Whether the path of what was opened means, or meant, something else. */
  async #deceived(name: Name, opened: FileHandle): Promise<boolean> {
    return (await this.#moved()) || !isSame(await opened.stat(), await lstat(this.#at(name))) || (await this.#moved());
  }

  async #moved(): Promise<boolean> {
    if (!this.#parent) return false;
    return !isSame(await this.#handle.stat(), await lstat(this.#path)) || this.#parent.#moved();
  }
}

/** @throws WorkspaceFault `workspace_unreadable` */
export function openWorkspace(path: string): Promise<Folder> {
  return Folder.open(path).catch((error: unknown) => {
    throw unreadable('', error);
  });
}

const isSame = (a: Stats, b: Stats): boolean => a.ino === b.ino && a.dev === b.dev;

const descriptorPath = (handle: FileHandle): string => `/proc/self/fd/${handle.fd}`;

async function isReachable(handle: FileHandle): Promise<boolean> {
  try {
    const [held, seen] = [await handle.stat(), await stat(descriptorPath(handle))];
    return isSame(held, seen);
  } catch {
    return false;
  }
}

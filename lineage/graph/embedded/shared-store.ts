import { realpathSync } from 'node:fs';
import { openingFault } from './faults.ts';
import type { Library } from './library.ts';
import { makeDirectory } from './make-directory.ts';
import { Store, type StoreOptions } from './store.ts';

interface Shared {
  store: Promise<Store>;
  handles: number;
  closing: Promise<void> | null;
}

/** What this process has open. Its second handle on a directory shares the first one's files: their lock holds against other processes only. */
const open = new Map<string, Shared>();

/** One handle's hold on a store. */
export interface Hold {
  store: Store;
  /** Gives it up; the last one closes the files. Should that fail, they stay open for the next. */
  release(): Promise<void>;
}

/** @throws GraphFault, GraphRefused with the remedy */
export async function holdStore(directory: string, library: Library, options: Partial<StoreOptions>): Promise<Hold> {
  try {
    makeDirectory(directory);
    const place = realpathSync(directory);
    for (let closing = open.get(place)?.closing; closing; closing = open.get(place)?.closing) await closing;
    const shared = open.get(place) ?? { store: Store.open(directory, library, options), handles: 0, closing: null };
    open.set(place, shared);
    shared.handles += 1;
    const store = await shared.store.catch((error) => {
      open.delete(place);
      throw error;
    });
    let released: Promise<void> | null = null;
    return {
      store,
      release() {
        released ??= release(place, shared, store);
        return released;
      },
    };
  } catch (error) {
    throw openingFault(error, directory);
  }
}

async function release(place: string, shared: Shared, store: Store): Promise<void> {
  shared.handles -= 1;
  if (shared.handles > 0) return;
  const closing = store.close();
  shared.closing = closing.then(
    () => void open.delete(place),
    () => {
      shared.closing = null;
    },
  );
  await shared.closing;
  await closing;
}

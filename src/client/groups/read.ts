import type { PageFilter } from '../filters.ts';
import { type Listing, listing, type Page } from '../pages.ts';
import type { Transport } from '../transport.ts';

/** Reads one document. An unknown id and another tenant's are the same 404. */
export async function readOne<T>(transport: Transport, path: string, query?: object): Promise<T> {
  return (await transport.call<T>({ method: 'GET', path, query })).data;
}

/** A list route as pages and items. */
export function readList<T>(transport: Transport, path: string, filter: PageFilter = {}): Listing<T> {
  return listing<T>(
    (cursor) => readOne<Page<T>>(transport, path, { ...filter, cursor: cursor ?? undefined }),
    filter.cursor ?? null,
  );
}

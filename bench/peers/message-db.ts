import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import path from 'node:path';
import postgres, { type Sql } from 'postgres';
import { type Contender, together } from '../measure/interleave.ts';

// In the order of its own install.sh.
const CHAPTERS = ['roles', 'schema', 'extensions', 'tables', 'types', 'functions', 'indexes', 'views', 'privileges'];

/** message-db's own functions in a database of their own, appending one message a call. */
export async function messageDb(
  adminUrl: string,
  options: { callers: number; perSlice: number; data: unknown; categories: number },
): Promise<Contender & { close(): Promise<void> }> {
  const admin = postgres(adminUrl, { max: 1, onnotice: () => undefined });
  await install(admin);
  await admin.end();
  const sql = postgres(adminUrl, { max: options.callers, connection: { search_path: 'message_store' } });
  const data = JSON.stringify(options.data);
  let written = 0;
  return {
    name: 'message-db',
    async slice() {
      await together(options.callers, options.perSlice, () => {
        const id = randomUUID();
        const stream = `invocation${options.categories > 1 ? written++ % options.categories : ''}-${id}`;
        return sql`select write_message(${id}, ${stream}, 'Recorded', ${data}::text::jsonb)`;
      });
      return options.perSlice;
    },
    close: () => sql.end(),
  };
}

async function install(admin: Sql): Promise<void> {
  const root = path.dirname(createRequire(import.meta.url).resolve('@eventide/message-db/package.json'));
  for (const chapter of CHAPTERS) {
    const folder = path.join(root, 'database', chapter);
    const names = (await readdir(folder)).filter((name) => name.endsWith('.sql')).sort();
    for (const name of names) {
      const text = await readFile(path.join(folder, name), 'utf8');
      await admin.unsafe(`set search_path to message_store, public; ${text}`).simple();
    }
  }
}

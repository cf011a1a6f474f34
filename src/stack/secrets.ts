import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { writePrivate } from './private-file.ts';

/** Passwords of the database roles of one data directory, kept in `secrets.json` (0600). */
export interface Secrets {
  /** The password of `role`, made when first asked for. */
  passwordOf(role: string): Promise<string>;
}

export async function openSecrets(dataDir: string): Promise<Secrets> {
  const file = path.join(dataDir, 'secrets.json');
  const passwords = await readFile(file, 'utf8').then(
    (text) => (JSON.parse(text) as { passwords: Record<string, string> }).passwords,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return {} as Record<string, string>;
      throw error;
    },
  );
  let saving = Promise.resolve();
  return {
    async passwordOf(role) {
      const known = passwords[role];
      if (known) return known;
      // Letters and digits only, so that it needs no escaping in a URL.
      const made = randomBytes(18).toString('hex');
      passwords[role] = made;
      // One after the other, so that the last file written knows every password.
      saving = saving.then(() => writePrivate(file, `${JSON.stringify({ passwords }, null, 2)}\n`));
      await saving;
      return made;
    },
  };
}

/** Lays the passwords of a server that others set up, before a stack on that server starts. */
export async function writeSecrets(dataDir: string, passwords: Record<string, string>): Promise<void> {
  await writePrivate(path.join(dataDir, 'secrets.json'), `${JSON.stringify({ passwords }, null, 2)}\n`);
}

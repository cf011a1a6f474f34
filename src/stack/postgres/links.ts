import { access, readFile, symlink } from 'node:fs/promises';
import path from 'node:path';

type Link = { source: string; target: string };

/**
 * npm tarballs carry no symbolic links, so the binaries' package lists its library links in `native/pg-symlinks.json`
 * and makes them in a postinstall script. Where install scripts are blocked the links are missing and `postgres` finds
 * no `libicuuc.so.60`. This makes the missing ones. Several starts may run at once: a link that appears meanwhile is
 * as good as ours.
 *
 * @param packageDir the folder of the platform package, the one that holds `native/`
 * @throws EACCES, EROFS or EPERM when the folder cannot be written
 */
export async function makeLibraryLinks(packageDir: string): Promise<void> {
  const links = await readLinks(packageDir);
  for (const { source, target } of links) {
    const link = path.join(packageDir, target);
    if (await present(link)) continue;
    try {
      // Relative, so that the whole folder can be moved or copied.
      await symlink(path.relative(path.dirname(link), path.join(packageDir, source)), link);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

async function readLinks(packageDir: string): Promise<Link[]> {
  try {
    return JSON.parse(await readFile(path.join(packageDir, 'native', 'pg-symlinks.json'), 'utf8')) as Link[];
  } catch (error) {
    // Packages for platforms without links have no such file.
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

async function present(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}

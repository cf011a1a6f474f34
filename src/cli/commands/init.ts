import { cpSync, existsSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { packageRoot } from '../../stack/package-root.ts';
import { preflight } from '../failure.ts';
import { deployableFiles } from '../init/deployable-files.ts';
import { deployReadme } from '../init/readme.ts';
import { withJson } from '../options.ts';
import { print } from '../output.ts';
import type { Session } from '../session.ts';
import { version } from '../version.ts';

export function registerInit(program: Command, session: Session): void {
  withJson(program.command('init'))
    .description('write the deployable Supabase folder: migrations, edge functions and what they import')
    .argument('<dir>', 'an empty or new folder')
    .option('--force', 'write into a folder that is not empty, replacing files of the same name')
    .action((dir: string, options: { json?: boolean; force?: boolean }) => {
      const target = resolve(dir);
      if (!options.force) refuseOccupied(target);
      const root = packageRoot();
      const files = deployableFiles(root);
      try {
        for (const file of files) {
          mkdirSync(dirname(join(target, file)), { recursive: true });
          cpSync(join(root, file), join(target, file));
        }
        writeFileSync(join(target, 'README.md'), deployReadme(version()));
      } catch (cause) {
        throw preflight(
          'folder_unwritable',
          `${target} cannot be written: ${(cause as Error).message}`,
          undefined,
          cause,
        );
      }
      const document = { dir: target, files: ['README.md', ...files] };
      print(
        session.terminal,
        options.json,
        document,
        () => `${document.files.length} files in ${target}; README.md says what comes next`,
      );
    });
}

/** A folder with only a .git in it counts as empty: `git init` comes first for many. */
function refuseOccupied(target: string): void {
  if (!existsSync(target)) return;
  const occupied = !statSync(target).isDirectory() || readdirSync(target).some((name) => name !== '.git');
  if (occupied)
    throw preflight('folder_not_empty', `${target} is not an empty folder`, 'choose another one, or say --force');
}

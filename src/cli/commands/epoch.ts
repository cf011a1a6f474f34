import type { Command } from 'commander';
import { refusedByDatabase, withDatabase } from '../database.ts';
import { databaseUrlOption, type LocalOptions, withLocal } from '../options.ts';
import { print } from '../output.ts';
import { ownerDatabaseUrl } from '../owner-database.ts';
import type { Session } from '../session.ts';

export function registerEpoch(program: Command, session: Session): void {
  const epoch = program.command('epoch').description('the lives of a database');
  withLocal(epoch.command('new'))
    .description('open a new epoch after a restore or a copy; everything written before is settled by it')
    .addOption(databaseUrlOption("the owner's connection to the restored database"))
    .option('--reason <text>', 'why, for the record', 'opened by hand')
    .action(async (options: LocalOptions & { databaseUrl?: string; reason: string }) => {
      const url = await ownerDatabaseUrl(options);
      const opened = await withDatabase(url, async (sql) => {
        const [row] = await sql<
          { epoch: number }[]
        >`select ledger_internal.open_epoch(${options.reason}) as epoch`.catch((error) => {
          throw refusedByDatabase(error);
        });
        return row?.epoch ?? null;
      });
      print(
        session.terminal,
        options.json,
        { epoch: opened },
        () => `epoch ${opened} is open; workers and functions go on`,
      );
    });
}

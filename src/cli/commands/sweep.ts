import type { Command } from 'commander';
import { refusedByDatabase, withDatabase } from '../database.ts';
import { usage } from '../failure.ts';
import { databaseUrlOption, type LocalOptions, withLocal } from '../options.ts';
import { print } from '../output.ts';
import { ownerDatabaseUrl } from '../owner-database.ts';
import type { Session } from '../session.ts';

interface Swept {
  swept: number;
  skipped: number;
  expired_requests: number;
  more: boolean;
}

export function registerSweep(program: Command, session: Session): void {
  withLocal(program.command('sweep'))
    .description('write the timeout of everything past its deadline, and announce expired requests')
    .option('--once', 'until nothing is overdue, then stop; call it from a scheduler, or let pg_cron do it')
    .addOption(databaseUrlOption("the owner's or ledger_sweep's connection"))
    .action(async (options: LocalOptions & { databaseUrl?: string; once?: boolean }) => {
      if (!options.once) throw usage('say --once', 'call it from a scheduler, or let pg_cron do it: docs/recovery.md');
      const total = await withDatabase(await ownerDatabaseUrl(options), async (sql) => {
        const sum = { swept: 0, skipped: 0, expired_requests: 0 };
        for (;;) {
          const [row] = await sql<{ said: Swept }[]>`select public.sweep_overdue(100) as said`.catch((error) => {
            throw refusedByDatabase(error);
          });
          const said = row?.said as Swept;
          sum.swept += said.swept;
          sum.expired_requests += said.expired_requests;
          sum.skipped = said.skipped;
          // What is skipped is being written by somebody; the next sweep sees what became of it.
          if (said.swept === 0 && said.expired_requests < 100) return sum;
        }
      });
      print(
        session.terminal,
        options.json,
        total,
        () =>
          `${total.swept} timed out, ${total.expired_requests} requests expired` +
          (total.skipped > 0 ? `, ${total.skipped} left to those who write them now` : ''),
      );
    });
}

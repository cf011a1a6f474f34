import { setTimeout as wait } from 'node:timers/promises';
import type { Command } from 'commander';
import { isAlive } from '../../stack/postgres/postmaster.ts';
import { unreachable } from '../failure.ts';
import { attachLocal } from '../local-stack.ts';
import { dataDirOf, type LocalOptions, withLocal } from '../options.ts';
import { print } from '../output.ts';
import { withProgress } from '../render/progress.ts';
import type { Session } from '../session.ts';

export function registerDown(program: Command, session: Session): void {
  withLocal(program.command('down'))
    .description('stop the local stack; its data stays')
    .action(async (options: LocalOptions) => {
      const { terminal } = session;
      const dataDir = dataDirOf(options);
      const stack = await attachLocal(dataDir);
      if (stack === null) {
        throw unreachable(`nothing runs on ${dataDir}; nothing to stop`, 'to start one: outcome-ledger up --detach');
      }
      await withProgress('stopping', { watched: terminal.watched, total: 1 }, async () => {
        await stack.stop();
        await untilGone(stack.pid);
      });
      const document = { stopped: true, pid: stack.pid, data_dir: stack.dataDir };
      print(terminal, options.json, document, () => `stopped; the data stays in ${stack.dataDir}`);
    });
}

/** The stack has stopped; its process ends a moment later, unless it is a program of someone's that goes on. */
async function untilGone(pid: number): Promise<void> {
  for (const end = Date.now() + 3000; Date.now() < end && isAlive(pid); ) await wait(20);
}

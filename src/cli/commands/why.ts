import type { Command } from 'commander';
import { addLineageCommand } from '../lineage-command.ts';
import type { Session } from '../session.ts';

export function registerWhy(program: Command, session: Session): void {
  addLineageCommand(program, session, 'why', 'what caused an outcome: its causal chain as a tree');
}

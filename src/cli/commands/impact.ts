import type { Command } from 'commander';
import { addLineageCommand } from '../lineage-command.ts';
import type { Session } from '../session.ts';

export function registerImpact(program: Command, session: Session): void {
  addLineageCommand(program, session, 'impact', 'what an outcome caused: its effects as a tree');
}

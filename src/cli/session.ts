import type { Terminal } from './terminal.ts';

/** One run of the command: where it writes, and the exit code it ends with. */
export interface Session {
  terminal: Terminal;
  exit: number;
}

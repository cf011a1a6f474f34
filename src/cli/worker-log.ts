import { jsonLog, type Log } from '../stack/workers/log.ts';
import { clean } from './render/clean.ts';
import type { Terminal } from './terminal.ts';

/** What workers say, to standard output: a line of words for a person at a terminal, else a JSON object a line. */
export function workerLog(terminal: Terminal, json: boolean): Log {
  if (json || terminal.width === undefined) return jsonLog(terminal.out);
  const { colour } = terminal;
  const paint = { info: colour.dim, warn: colour.warn, error: colour.bad };
  return ({ level, message, details = {} }) => {
    const about = Object.entries(details).map(([name, value]) => `${colour.dim(`${name}=`)}${clean(value)}`);
    const time = colour.dim(new Date().toISOString().slice(11, 23));
    terminal.out([time, paint[level](level.padEnd(5)), clean(message), ...about].join(' '));
  };
}

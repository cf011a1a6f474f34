export type LogLevel = 'info' | 'warn' | 'error';

/** What a worker says while it runs; `details` are JSON and hold no secret. */
export interface LogEntry {
  level: LogLevel;
  message: string;
  details?: Record<string, unknown>;
}

export type Log = (entry: LogEntry) => void;

/** One JSON object a line, for what collects logs. */
export function jsonLog(write: (line: string) => void, now: () => Date = () => new Date()): Log {
  return ({ level, message, details = {} }) => {
    write(JSON.stringify({ time: now().toISOString(), level, message, ...details }));
  };
}

/** The workers that can be run. Each has a login, a lock and a word in `/healthz` of its own. */
export const WORKER_NAMES = ['sync'] as const;

export type WorkerName = (typeof WORKER_NAMES)[number];

export function isWorkerName(word: string): word is WorkerName {
  return (WORKER_NAMES as readonly string[]).includes(word);
}

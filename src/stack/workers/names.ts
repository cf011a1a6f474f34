/** The workers that can be run. Each has a login and a word in `/healthz` of its own. */
export const WORKER_NAMES = ['sync', 'sweep', 'relay'] as const;

export type WorkerName = (typeof WORKER_NAMES)[number];

/** Where each looks for its connection string: the login of one may not do another's work. */
export const DATABASE_VARIABLES: Readonly<Record<WorkerName, string>> = {
  sync: 'OUTCOME_LEDGER_SYNC_DATABASE_URL',
  sweep: 'OUTCOME_LEDGER_SWEEP_DATABASE_URL',
  relay: 'OUTCOME_LEDGER_RELAY_DATABASE_URL',
};

export function isWorkerName(word: string): word is WorkerName {
  return (WORKER_NAMES as readonly string[]).includes(word);
}

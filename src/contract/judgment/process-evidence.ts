import type { RecordedVerification } from './words.ts';

/** What was observed of a verification's process; never a word of what it printed. */
export interface ProcessEvidence {
  /** False where it could not be started: not found, not executable, no process to be had. */
  started: boolean;
  /** It ran past its limit and was ended for it. */
  timed_out: boolean;
  /** The system stood in its way: no room on the disk, its output could not be read. */
  system_fault: boolean;
  /** The signal that ended it, or null. */
  signal: string | null;
  /** Null where it gave none. */
  exit_code: number | null;
}

/** One row: what of the evidence has to hold for it. */
export interface ProcessVerdict {
  readonly when: {
    readonly started?: boolean;
    readonly timed_out?: boolean;
    readonly system_fault?: boolean;
    readonly signalled?: true;
    readonly exit_codes?: readonly (number | null)[];
  };
  readonly verification: RecordedVerification;
}

/** The first row that holds decides (task-success-contract.txt section 7, P4). 126 and 127: a shell found no such tool. */
export const PROCESS_VERDICTS: readonly ProcessVerdict[] = [
  { when: { timed_out: true }, verification: 'timed_out' },
  { when: { started: false }, verification: 'infrastructure_failure' },
  { when: { system_fault: true }, verification: 'infrastructure_failure' },
  // Whoever is killed has answered nothing.
  { when: { signalled: true }, verification: 'infrastructure_failure' },
  { when: { exit_codes: [null, 126, 127] }, verification: 'infrastructure_failure' },
  { when: { exit_codes: [0] }, verification: 'passed' },
  { when: {}, verification: 'failed' },
];

/** What a verification's process says, from how it ended alone. */
export function verificationOf(process: ProcessEvidence): RecordedVerification {
  const holds = ({ when }: ProcessVerdict) =>
    (when.started === undefined || when.started === process.started) &&
    (when.timed_out === undefined || when.timed_out === process.timed_out) &&
    (when.system_fault === undefined || when.system_fault === process.system_fault) &&
    (when.signalled === undefined || process.signal !== null) &&
    (when.exit_codes === undefined || when.exit_codes.includes(process.exit_code));
  return (PROCESS_VERDICTS.find(holds) as ProcessVerdict).verification;
}

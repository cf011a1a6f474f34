import type { ExecutionRecord, InvocationRecord } from '../client/documents.ts';
import type { JudgmentWithEvidence, Verification } from '../client/judgment-documents.ts';
import { verificationRequired } from '../contract/judgment/index.ts';
import { EXIT } from './exit.ts';
import { Failure, usage } from './failure.ts';
import { getJson, type Reader } from './http.ts';

type Ended = JudgmentWithEvidence & { outcome_id: string };
type Evidence = Omit<Verification, 'outcome_id'>;

/** What is to be verified has to have ended. */
export async function endedSubject(reader: Reader, id: string): Promise<Ended> {
  const judged = await getJson<JudgmentWithEvidence>(reader, `/judgments/${id}`);
  if (judged.outcome_id !== null) return judged as Ended;
  throw new Failure(
    {
      code: 'no_outcome_yet',
      title: 'No outcome yet',
      detail: `${judged.subject_type} ${id} of ${judged.source.id} is still ${judged.lifecycle}`,
      remedy: `outcome-ledger wait ${id}`,
    },
    EXIT.failed,
  );
}

interface Running {
  limitMs: number;
  cwd?: string;
  onOutput: (chunk: Buffer) => void;
  signal: AbortSignal;
}

/** Runs the command, or what the start asks for, and says how its process ended. */
export async function verifyOf(reader: Reader, subject: Ended, words: string[], running: Running): Promise<Evidence> {
  const asked = await askedFor(reader, subject);
  const isAuto = asked?.trim() === 'auto';
  if (words.length === 0 && !verificationRequired(asked)) {
    throw usage('its start asks for no verification', 'give the command to run after --');
  }
  if (words.length === 0 && isAuto) {
    throw usage('`auto` names no command', 'give the command after --, or --skip when there is nothing to run');
  }
  const { runVerification } = await import('../runner/index.ts');
  const command = words.length > 0 ? words : (asked as string);
  const run = await runVerification({ command, ...running });
  const { verification, process: ended, duration_ms, output_sha256, output_bytes, output_excerpt } = run;
  return {
    verification,
    ...(verification === 'unobserved' ? {} : { process: ended }),
    command: run.command,
    duration_ms,
    output_sha256,
    output_bytes,
    output_excerpt,
    ...(isAuto ? { resolved_verify: run.command } : {}),
  };
}

const STOPPING = ['SIGINT', 'SIGTERM', 'SIGHUP', 'SIGQUIT'] as const;

/**
 * Does `work` with a signal that is aborted by the first that asks this process to stop. Whatever comes until it is done, also
 * a second one, finds us still here: what was started has to be ended, and what was seen to be recorded.
 */
export async function whileStoppable<T>(work: (stopped: AbortSignal) => Promise<T>): Promise<T> {
  const stopping = new AbortController();
  const stop = () => stopping.abort();
  for (const signal of STOPPING) process.on(signal, stop);
  try {
    return await work(stopping.signal);
  } finally {
    for (const signal of STOPPING) process.off(signal, stop);
  }
}

async function askedFor(reader: Reader, { subject_type, invocation_id, execution_id }: Ended): Promise<string | null> {
  const id = subject_type === 'invocation' ? invocation_id : execution_id;
  const start = await getJson<InvocationRecord | ExecutionRecord>(reader, `/${subject_type}s/${id}`);
  return start.verify;
}

import { setTimeout as pause } from 'node:timers/promises';
import type { JudgmentWithEvidence } from '../client/judgment-documents.ts';
import { Failure } from './failure.ts';
import { getJson, type Reader } from './http.ts';

/** Between two questions, in milliseconds; doubled up to the second. */
const PAUSE_MS = { first: 100, longest: 2_000 };

export interface Patience {
  /** For everything. */
  timeoutMs: number;
  /** For a verification that is expected, from the outcome's recording: no longer than one runs. */
  verificationMs: number;
}

/**
 * Asks until nothing more is to come: the run has ended, and a verification that it needs has answered or could have. `final`
 * is false when time ran out before.
 */
export async function untilJudged(
  reader: Reader,
  id: string,
  { timeoutMs, verificationMs }: Patience,
): Promise<{ judged: JudgmentWithEvidence | null; final: boolean }> {
  let last: JudgmentWithEvidence | null = null;
  const end = Date.now() + timeoutMs;
  let verifiedBy: number | undefined;
  for (let between = PAUSE_MS.first; ; between = Math.min(between * 2, PAUSE_MS.longest)) {
    const judged = await getJson<JudgmentWithEvidence>(reader, `/judgments/${id}`, Math.max(1, end - Date.now())).catch(
      (error: unknown) => {
        // A ledger that has answered before may be away for a while; one that says nothing in the time that was left has not judged.
        const away = error instanceof Failure && error.problem.code === 'ledger_unreachable';
        if (away && (last !== null || Date.now() >= end)) return null;
        throw error;
      },
    );
    const now = Date.now();
    if (judged === null) {
      if (now >= end) return { judged: last, final: false };
      await pause(Math.max(1, Math.min(between, end - now)));
      continue;
    }
    last = judged;
    if (judged.judgment !== 'in_progress') {
      if (!isAwaited(judged)) return { judged, final: true };
      // By its clock and by ours, whichever ends sooner: they may disagree.
      verifiedBy ??= Math.min(now, Date.parse(judged.recorded_at)) + verificationMs;
      if (now >= verifiedBy) return { judged, final: true };
    }
    const left = Math.min(end, verifiedBy ?? end) - now;
    if (now >= end) return { judged, final: false };
    await pause(Math.max(1, Math.min(between, left)));
  }
}

/** A verification is expected and has not arrived, and its word would change the judgment. */
const isAwaited = ({ judgment, verification, required }: JudgmentWithEvidence): boolean =>
  judgment === 'unverified' && verification === 'pending' && required;

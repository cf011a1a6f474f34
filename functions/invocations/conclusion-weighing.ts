// A conclusion weighed: what the agent said, against what was observed of its run and what it left.
import { ARTIFACT_MAX_BYTES } from '../../src/contract/limits.ts';
import { assess } from '../../src/contract/phase/assess.ts';
import { readMessages } from '../../src/contract/phase-report/index.ts';
import { type Measure, type MeasuredArtifact, measured } from './conclusion-artifacts.ts';
import { reportOf, resultOf } from './conclusion-report.ts';
import type { ConclusionRequest } from './conclusion-request.ts';
import { withShortLast } from './last-message.ts';

export interface Weighed {
  artifacts: MeasuredArtifact[];
  completed: boolean;
  report: ReturnType<typeof reportOf>;
  /** The result of a completed phase that none was given for. */
  result: () => Record<string, unknown>;
}

/** Whether there is an object store for what no table takes; `away`: there is one, and it took nothing. */
export type Store = 'there' | 'none' | 'away';

/** A phase that will not complete is concluded also where there is no room for what it wrote. */
export async function weigh(
  { input }: ConclusionRequest,
  files: ReadonlyMap<string, Measure>,
  store: Store,
): Promise<Weighed> {
  const said = readMessages(input.messages);
  const { messages, cut } =
    store === 'there' ? { messages: input.messages, cut: false } : withShortLast(input.messages);
  const assessed = assess({ ...input, messages }, said, store === 'there' ? new Map() : tooLarge(files, store));
  if (cut && assessed.artifacts.some(({ recovered }) => recovered)) {
    assessed.warnings.push('the last message was too long to be recovered whole');
  }
  const artifacts = await measured(assessed.artifacts, files);
  return {
    artifacts,
    completed: assessed.phase_status === 'completed',
    report: reportOf(said, assessed, input.observation),
    result: () => resultOf(said, assessed, artifacts),
  };
}

/** Why the large files cannot be kept, by their paths. */
function tooLarge(files: ReadonlyMap<string, Measure>, store: Exclude<Store, 'there'>): Map<string, string> {
  const where = store === 'none' ? 'without an object store' : 'while the object store is away';
  return new Map(
    [...files]
      .filter(([, { bytes }]) => bytes !== null)
      .map(([path, { size_bytes }]) => [
        path,
        `it has ${size_bytes} bytes, and ${where} at most ${ARTIFACT_MAX_BYTES} are kept`,
      ]),
  );
}

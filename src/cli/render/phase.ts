import type { ArtifactRecord, ConcludedPhase, PhaseArtifactRecord } from '../../client/phase-documents.ts';
import { clean } from './clean.ts';
import type { Colour } from './colour.ts';
import { renderFields, renderTable } from './table.ts';

/** A concluded phase: what was concluded, then what it left. */
export function renderConclusion(phase: ConcludedPhase, replayed: boolean, colour: Colour): string {
  const { phase_status } = phase;
  const paint = { completed: colour.good, failed: colour.bad, cancelled: colour.dim, interrupted: colour.warn };
  return [
    `${paint[phase_status](phase_status)}  ${colour.bold(phase.outcome_id)}`,
    renderFields(
      [
        ['invocation', phase.invocation_id],
        ['execution', phase.execution_id],
        ['outcome', phase.outcome.status],
        ['concluded as', phase.failure_classification],
        ['report', phase.report_state],
        ['it says of its failure', phase.reported_failure_reason],
        ['it says of its writes', phase.reported_side_effects],
        ['error', phase.error],
        ['deliverable', phase.deliverable_recovered ? 'recovered from the transcript' : null],
        ['replayed', replayed ? 'it had been concluded so before' : null],
        ...phase.warnings.map((warning) => ['warning', warning] as const),
      ],
      colour,
    ),
    renderArtifacts(phase.artifacts, colour),
  ]
    .filter((part) => part !== '')
    .join('\n');
}

function renderArtifacts(artifacts: readonly PhaseArtifactRecord[], colour: Colour): string {
  return renderTable(
    artifacts,
    [
      { title: 'artifact', value: (one) => one.artifact_id },
      { title: 'path', value: (one) => one.path },
      { title: 'bytes', value: (one) => one.size_bytes, align: 'right' },
      { title: '', value: marksOf },
    ],
    colour,
  );
}

/** What is said of an artifact beside its facts. */
export const marksOf = (one: { primary: boolean; recovered: boolean }): string =>
  [one.primary ? 'primary' : '', one.recovered ? 'recovered' : ''].filter(Boolean).join(', ');

/** An artifact's facts; below them its lines when it is a text. */
export function renderArtifact(artifact: ArtifactRecord, colour: Colour): string {
  const facts = renderFields(
    [
      ['artifact', artifact.artifact_id],
      ['title', artifact.title],
      ['path', artifact.path],
      ['type', artifact.type],
      ['bytes', artifact.size_bytes],
      ['sha256', artifact.sha256],
      ['stored', artifact.stored],
      ['marks', marksOf(artifact) || null],
      ['invocation', artifact.invocation_id],
      ['execution', artifact.execution_id],
      ['outcome', artifact.outcome_id],
      ['recorded', `${artifact.recorded_at} by ${artifact.recorded_by}`],
    ],
    colour,
  );
  if (typeof artifact.content !== 'string')
    return `${facts}\n\n${colour.dim('no text; --output FILE writes its bytes')}`;
  return `${facts}\n\n${artifact.content.split(/\r?\n/).map(clean).join('\n')}`;
}

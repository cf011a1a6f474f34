import type {
  GatePassage,
  Judgment,
  JudgmentWithEvidence,
  VerificationRecord,
} from '../../client/judgment-documents.ts';
import type { Page } from '../../client/pages.ts';
import type { Colour, Paint } from './colour.ts';
import { renderFields, renderTable } from './table.ts';
import { showTime } from './time.ts';

const PAINT: Record<Judgment['judgment'], keyof Colour> = {
  verified: 'good',
  delivered: 'good',
  unverified: 'warn',
  broken: 'bad',
  failed: 'bad',
  stopped: 'dim',
  skipped: 'dim',
  in_progress: 'note',
};
const paintOf = (colour: Colour, judgment: Judgment['judgment']): Paint => colour[PAINT[judgment]];

/** `unverified (timed_out)`, and the tag where verification has something to say. */
function words({ judgment, reason, tag }: Pick<Judgment, 'judgment' | 'reason' | 'tag'>): string {
  return `${judgment}${reason === null ? '' : ` (${reason})`}${tag === null ? '' : `  [${tag}]`}`;
}

/** One judgment with what it rests on. */
export function renderJudgment(judged: JudgmentWithEvidence, colour: Colour): string {
  const { source } = judged;
  const last = judged.verifications.at(-1);
  const fields = renderFields(
    [
      ['judgment', words(judged)],
      ['claimed', judged.status ?? `nothing yet: ${judged.lifecycle}`],
      ['lifecycle', judged.lifecycle],
      ['verification', `${judged.verification}${judged.required ? ', and one is required' : ''}`],
      ['delivery', judged.assessment],
      ['gate', judged.gate],
      ['source', `${source.type} ${source.id}@${source.version} (${source.domain})`],
      ['correlation', judged.correlation_id],
      ['outcome', judged.outcome_id],
      ['invocation', judged.invocation_id],
      ['execution', judged.execution_id],
      [
        'verified by',
        last && `${last.recorded_by}, ${showTime(last.recorded_at)}${last.command ? `: ${last.command}` : ''}`,
      ],
      ['integrated', judged.integration && `${judged.integration.reference}, by ${judged.integration.recorded_by}`],
      [
        'let through',
        judged.integration?.gate_flag && `${judged.integration.gate_flag}: ${judged.integration.gate_reason}`,
      ],
    ],
    colour,
  );
  const excerpt = last?.verification === 'passed' ? '' : (last?.output_excerpt ?? '');
  return excerpt === '' ? fields : `${fields}\n\n${renderFields([['output', excerpt.trimEnd()]], colour)}`;
}

/** Judgments, a line each. */
export function renderJudgments({ items, next_cursor }: Page<Judgment>, colour: Colour): string {
  if (items.length === 0) return 'no invocations or executions';
  const table = renderTable(
    items,
    [
      { title: 'judgment', value: words, paint: (text, row) => paintOf(colour, row.judgment)(text) },
      { title: 'claimed', value: ({ status }) => status ?? '' },
      { title: 'lifecycle', value: ({ lifecycle }) => lifecycle },
      { title: 'source', value: ({ source }) => `${source.type} ${source.id}@${source.version}` },
      { title: 'correlation', value: ({ correlation_id }) => correlation_id },
      {
        title: 'outcome, else subject',
        value: (row) => row.outcome_id ?? row.invocation_id ?? row.execution_id,
        paint: (text) => colour.dim(text),
      },
    ],
    colour,
  );
  return next_cursor === null ? table : `${table}\n${colour.warn(`… there are more: --cursor ${next_cursor}`)}`;
}

/** What passed the gate, and how. */
export function renderGate(items: readonly GatePassage[], colour: Colour): string {
  return renderTable(
    items,
    [
      { title: 'passes', value: ({ id }) => id },
      { title: 'judgment', value: words, paint: (text, row) => paintOf(colour, row.judgment)(text) },
      {
        title: 'by',
        value: ({ gate_flag, gate_reason }) => (gate_flag === null ? '' : `${gate_flag}: ${gate_reason}`),
      },
    ],
    colour,
  );
}

/** What a verification said, how its process ended, and what the outcome is judged to be now. */
export function renderVerification(
  record: VerificationRecord | undefined,
  judged: JudgmentWithEvidence,
  colour: Colour,
): string {
  const ended = record?.process;
  const how = !ended
    ? null
    : !ended.started
      ? 'it could not be started'
      : ended.timed_out
        ? 'ended at its limit'
        : ended.signal
          ? `ended by ${ended.signal}`
          : `exit code ${ended.exit_code}${ended.system_fault ? ', and the system stood in its way' : ''}`;
  return renderFields(
    [
      ['verification', record?.verification],
      ['process', how],
      ['command', record?.command],
      ['judgment', words(judged)],
      ['outcome', judged.outcome_id],
    ],
    colour,
  );
}

import type { ErrorEntry, OutcomeRecord } from '../../client/documents.ts';
import type { Colour } from './colour.ts';
import { paintStatus } from './colour.ts';
import { renderFields, renderTable } from './table.ts';
import { showDuration, showTime } from './time.ts';

/** One outcome whole, for a person: facts first, then each part that is present. */
export function renderOutcome(outcome: OutcomeRecord, colour: Colour): string {
  const { source, timing } = outcome;
  const parts = [
    `${paintStatus(colour, outcome.status)}  ${colour.bold(outcome.outcome_id)}`,
    renderFields(
      [
        ['source', `${source.type} ${source.id}@${source.version} (${source.domain})`],
        ['correlation', outcome.correlation_id],
        ['causation', outcome.causation_id],
        ['invocation', outcome.invocation_id],
        ['execution', outcome.execution_id],
        ['started', showTime(timing.started_at)],
        ['completed', `${showTime(timing.completed_at)} (${showDuration(timing.duration_ms)})`],
        ['timing drift', outcome.timing_drift_ms ? `${outcome.timing_drift_ms} ms` : null],
        ['recorded', outcome.recorded_at && `${showTime(outcome.recorded_at)} by ${outcome.recorded_by}`],
        ['origin', outcome.origin],
        ['reason', outcome.completion_reason],
      ],
      colour,
    ),
    section('errors', renderErrors(outcome.errors ?? [], colour), colour),
    section('policy', fieldsOf(outcome.policy, colour), colour),
    section('escalation', fieldsOf(outcome.escalation, colour), colour),
    section('quality', fieldsOf(outcome.quality, colour), colour),
    section('execution context', fieldsOf(outcome.execution_context, colour), colour),
    section('result', outcome.result == null ? '' : indent(JSON.stringify(outcome.result, null, 2)), colour),
    section('late', renderLate(outcome.late ?? [], colour), colour),
  ];
  return parts.filter((part) => part !== '').join('\n');
}

function renderErrors(errors: readonly ErrorEntry[], colour: Colour): string {
  return indent(
    renderTable(
      errors,
      [
        { title: 'code', value: (error) => error.code },
        { title: 'message', value: (error) => error.message },
        { title: 'field', value: (error) => error.field },
        { title: 'retry', value: retryOf },
      ],
      colour,
    ),
  );
}

function retryOf(error: ErrorEntry): string {
  if (!error.recoverable) return 'no';
  return typeof error.retry_after_ms === 'number' ? `after ${showDuration(error.retry_after_ms)}` : 'yes';
}

/** Envelopes that came after this one; they are kept, and never become an outcome. */
function renderLate(late: NonNullable<OutcomeRecord['late']>, colour: Colour): string {
  return indent(
    renderTable(
      late,
      [
        { title: 'received', value: (item) => showTime(item.received_at) },
        { title: 'by', value: (item) => item.received_by },
        { title: 'status', value: (item) => item.outcome.status, paint: (text) => paintStatus(colour, text) },
      ],
      colour,
    ),
  );
}

function fieldsOf(value: object | null | undefined, colour: Colour): string {
  return value == null ? '' : renderFields(Object.entries(value), colour, '  ');
}

function section(title: string, body: string, colour: Colour): string {
  return body === '' ? '' : `\n${colour.bold(title)}\n${body}`;
}

function indent(text: string): string {
  return text === '' ? '' : text.replace(/^/gm, '  ');
}

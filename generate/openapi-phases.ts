// What a conclusion is asked with and answers, as JSON Schema: reports, artifacts, inputs, failure rates.
import { FAILURE_CLASSES, PHASE_STATUSES } from '../src/contract/phase/index.ts';
import { FAILURE_REASONS, REPORT_STATES, SIDE_EFFECTS } from '../src/contract/phase-report/index.ts';
import { flag, id, integer, type Json, list, orNull, record, ref, text, time, word } from './json-schema.ts';

const content: Json = {
  description: 'Text, or the base64 of bytes.',
  oneOf: [text, { type: 'object', additionalProperties: false, required: ['base64'], properties: { base64: text } }],
};
const observation: Json = {
  type: 'object',
  description: 'What was observed of the run, whatever its agent says.',
  additionalProperties: false,
  required: ['exit_code', 'stream_intact', 'cancelled', 'timed_out'],
  properties: {
    exit_code: { type: ['integer', 'null'], description: 'Null: it left none, because it crashed or was killed.' },
    stream_intact: flag,
    cancelled: flag,
    timed_out: flag,
    interrupted: { type: 'boolean', default: false },
  },
};
const failureClass = orNull(word(FAILURE_CLASSES));
const failureReason: Json = { ...orNull(word(FAILURE_REASONS)), description: 'The agent’s own word: a quotation.' };
const sideEffects: Json = { ...orNull(word(SIDE_EFFECTS)), description: 'The agent’s own word: a quotation.' };
const phaseStatus = word(PHASE_STATUSES);

const artifact = {
  artifact_id: id,
  path: text,
  title: text,
  type: text,
  size_bytes: integer,
  sha256: text,
  recovered: { type: 'boolean', description: 'The agent’s last message, in place of a file.' },
  primary: flag,
  stored: word(['table', 'object']),
};
const claim = record('One report of the agent.', {
  state: word(REPORT_STATES.filter((state) => state !== 'not_reported')),
  failure_reason: failureReason,
  side_effects: sideEffects,
  comments: text,
  by_alias: flag,
  text,
  warnings: list(text),
});
const attempt = record('An attempt at a phase.', {
  invocation_id: id,
  attempt: orNull(integer),
  status: text,
  failure_classification: failureClass,
  outcome_id: orNull(id),
  report_state: orNull(word(REPORT_STATES)),
});
const rate: Json = { type: ['number', 'null'], minimum: 0, maximum: 1 };

/** What an execution's record has of its phases. */
export const EXECUTION_PHASES: Json = {
  failure_classification: failureClass,
  reported_failure_reason: failureReason,
  deliverable_produced: flag,
  reported_side_effects: sideEffects,
  phases: list(
    record('A phase: its latest attempt, and all of them.', {
      name: text,
      step_id: orNull(text),
      status: text,
      failure_classification: failureClass,
      reported_failure_reason: failureReason,
      deliverable_recovered: flag,
      reported_side_effects: sideEffects,
      attempts: list(attempt),
    }),
  ),
};

export function phaseSchemas(): Json {
  return {
    ConclusionRequest: {
      type: 'object',
      description: 'What an agent wrote, what was observed of its run, and the files it left.',
      additionalProperties: false,
      required: ['messages', 'observation', 'files'],
      properties: {
        messages: {
          ...list({ oneOf: [text, { type: 'object', required: ['role', 'text'], properties: { role: text, text } }] }),
          description: 'In order. Of those with a role only the roles `agent` and `assistant` count.',
        },
        observation,
        files: {
          description: 'Those below `artifacts/output/` become artifacts. At most 10,000, no path twice.',
          oneOf: [
            list({
              type: 'object',
              additionalProperties: false,
              required: ['path', 'content'],
              properties: { path: text, content },
            }),
            { type: 'object', additionalProperties: content },
          ],
        },
        phase: {
          type: 'object',
          additionalProperties: false,
          properties: {
            name: { type: 'string', description: 'Default: the step’s name, else its id, else the source’s id.' },
            output_types: list(text),
            branch_report: text,
          },
        },
        result: {
          type: 'object',
          description:
            'The outcome’s result once the phase completed. Default: `{comments, artifacts: [{path, sha256}], deliverable_recovered}`.',
        },
        quality: { type: 'object', description: 'The envelope’s.' },
        timing: { type: 'object', description: 'The envelope’s. Default: from the start’s recording to now.' },
      },
    },
    Conclusion: record('A concluded phase: what was concluded, and beside it what the agent said.', {
      invocation_id: id,
      execution_id: orNull(id),
      outcome_id: id,
      report_state: word(REPORT_STATES),
      phase_status: phaseStatus,
      failure_classification: failureClass,
      reported_failure_reason: failureReason,
      reported_side_effects: sideEffects,
      deliverable_recovered: flag,
      error: orNull(text),
      warnings: list(text),
      claims: list(claim),
      claims_total: { type: 'integer', description: 'Of all claims, also those too many to keep.' },
      stands: { type: ['integer', 'null'], description: 'Index into `claims` of the one that stands.' },
      observation: { ...observation, required: [...(observation['required'] as string[]), 'interrupted'] },
      late: { type: 'boolean', description: 'It came after another outcome and is kept beside it.' },
      artifacts: list(record('A kept artifact.', artifact)),
      outcome: ref('Envelope'),
      recorded_at: time,
      recorded_by: text,
    }),
    Artifact: record('An artifact and its content.', {
      ...artifact,
      invocation_id: id,
      execution_id: orNull(id),
      outcome_id: orNull(id),
      content: orNull(content),
      url: { type: ['string', 'null'], description: 'Of one in the object store: where its content is for an hour.' },
      recorded_at: time,
      recorded_by: text,
    }),
    Inputs: record('What earlier phases left, as files of this one.', {
      items: list(
        record('A file.', {
          path: { type: 'string', description: '`artifacts/input/<step>/…`, or the flat `artifacts/input/<step>.md`.' },
          artifact_id: id,
          step_id: orNull(text),
          execution_id: id,
          size_bytes: integer,
          sha256: text,
          primary: flag,
          recovered: flag,
        }),
      ),
      omitted: list(record('One that has no path here.', { artifact_id: id, path: text, reason: text })),
    }),
    FailureRates: record('Concluded phases, counted.', {
      items: list(
        record('An agent’s version in a domain.', {
          source_id: text,
          source_version: text,
          domain: text,
          concluded: integer,
          completed: integer,
          failed: integer,
          cancelled: integer,
          interrupted: integer,
          platform: integer,
          correct_refusal: integer,
          unclassified: integer,
          failure_rate: rate,
          platform_rate: rate,
        }),
      ),
    }),
  };
}

// Through no function does a token learn whether an id is another tenant's or nobody's.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Argument, integer, jsonb, text, uuid } from '../src/database/statement.ts';
import { useDatabase } from './support/database.ts';
import {
  type Document,
  envelopeFor,
  event,
  executionStart,
  invocationStart,
  policyDecision,
  toolCall,
  verification,
} from './support/envelopes.ts';
import { makeSubjects, type Subjects } from './support/matrix.ts';
import { codeOf } from './support/refused.ts';
import { call, GUARD, OPERATOR, ORCHESTRATOR } from './support/sql-ledger.ts';

const FIXED = randomUUID();
const database = useDatabase();
let tenantId: string;
let foreign: Subjects;
let subjects: Subjects;

beforeAll(async () => {
  tenantId = await database.tenant();
  subjects = await makeSubjects(database, tenantId, { source: true, started: true });
  foreign = await makeSubjects(database, await database.tenant(), { source: true, started: true });
});

// B041: an id of another tenant and an id of nobody are one answer, to the byte.
describe('foreign and unknown answer alike', () => {
  const random = (like: Document, member: string) => ({ ...like, [member]: randomUUID() });
  const cases: [string, (about: Subjects) => [string, ...Argument[]], object?][] = [
    [
      'record_agent_outcome',
      (s) => ['record_agent_outcome', uuid(s.invocation['invocation_id']), jsonb(envelopeFor(s.invocation))],
    ],
    [
      'record_workflow_outcome',
      (s) => ['record_workflow_outcome', uuid(s.execution['execution_id']), jsonb(envelopeFor(s.execution))],
    ],
    [
      'record_outcomes',
      (s) => [
        'record_outcomes',
        jsonb([{ invocation_id: s.invocation['invocation_id'], outcome: envelopeFor(s.invocation) }]),
      ],
    ],
    [
      'a late outcome',
      (s) => ['record_agent_outcome', uuid(s.ended['invocation_id']), jsonb(envelopeFor(s.ended, 'failure'))],
    ],
    [
      'record_tool_call',
      (s) => ['record_tool_call', jsonb(toolCall(s.invocation['invocation_id'], { tool_call_id: 'call-1' }))],
    ],
    ['heartbeat', (s) => ['heartbeat', uuid(s.invocation['invocation_id'])]],
    ['heartbeats', (s) => ['heartbeats', jsonb([s.invocation['invocation_id']])]],
    ['register_event', (s) => ['register_event', jsonb(event(s.invocation['invocation_id'], { event_id: 'event-1' }))]],
    [
      'record_policy_decision',
      (s) => ['record_policy_decision', jsonb(policyDecision({ invocation_id: s.invocation['invocation_id'] }))],
      GUARD,
    ],
    [
      'record_policy_decision about an execution',
      (s) => ['record_policy_decision', jsonb(policyDecision({ execution_id: s.execution['execution_id'] }))],
      GUARD,
    ],
    [
      'the guard’s invocation',
      (s) => [
        'record_policy_decision',
        jsonb(
          policyDecision(
            { invocation_id: subjects.invocation['invocation_id'] },
            { guard_invocation_id: s.invocation['invocation_id'] },
          ),
        ),
      ],
      GUARD,
    ],
    [
      'start_invocation within',
      (s) => ['start_invocation', jsonb(invocationStart({ execution_id: s.execution['execution_id'] }))],
    ],
    [
      'start_execution below',
      (s) => ['start_execution', jsonb(executionStart({ parent_execution_id: s.execution['execution_id'] }))],
    ],
    [
      'start_execution resuming',
      (s) => ['start_execution', jsonb(executionStart({ resumed_from_execution_id: s.execution['execution_id'] }))],
    ],
    [
      'declare_link',
      (s) => [
        'declare_link',
        jsonb({ source_outcome_id: subjects.outcomes[0], target_outcome_id: s.outcomes[0], relation: 'invoked' }),
      ],
    ],
    [
      'sub_workflow_outcomes',
      (s) => [
        'record_workflow_outcome',
        uuid(subjects.execution['execution_id']),
        jsonb(
          envelopeFor(subjects.execution, 'failure', {
            execution_context: {
              ...envelopeFor(subjects.execution)['execution_context'],
              sub_workflow_outcomes: [s.outcomes[0]],
            },
          }),
        ),
      ],
    ],
    ['get_invocation', (s) => ['get_invocation', uuid(s.invocation['invocation_id'])]],
    ['get_execution', (s) => ['get_execution', uuid(s.execution['execution_id'])]],
    [
      'record_verification',
      (s) => ['record_verification', jsonb(verification(s.outcomes[0], { verification_id: FIXED }))],
    ],
    [
      'assess_delivery',
      (s) => ['assess_delivery', jsonb({ assessment_id: FIXED, outcome_id: s.outcomes[0], assessment: 'delivered' })],
    ],
    [
      'record_integration',
      (s) => ['record_integration', jsonb({ outcome_id: s.outcomes[0], reference: '0c0ffee' })],
      OPERATOR,
    ],
    [
      'record_lifecycle',
      (s) => [
        'record_lifecycle',
        jsonb({
          lifecycle_event_id: FIXED,
          invocation_id: s.invocation['invocation_id'],
          lifecycle: 'waiting',
        }),
      ],
    ],
    [
      'record_lifecycle of an execution',
      (s) => [
        'record_lifecycle',
        jsonb({ lifecycle_event_id: FIXED, execution_id: s.execution['execution_id'], lifecycle: 'waiting' }),
      ],
    ],
    ['pass_gate', (s) => ['pass_gate', jsonb({ ids: [s.outcomes[0]] })]],
    ['pass_gate of an invocation', (s) => ['pass_gate', jsonb({ ids: [s.ended['invocation_id']] })]],
    ['pass_gate of an open execution', (s) => ['pass_gate', jsonb({ ids: [s.execution['execution_id']] })]],
    ['get_judgment', (s) => ['get_judgment', uuid(s.outcomes[0])]],
    ['get_judgment of an open invocation', (s) => ['get_judgment', uuid(s.invocation['invocation_id'])]],
    ['get_judgment of an open execution', (s) => ['get_judgment', uuid(s.execution['execution_id'])]],
    ['get_outcome', (s) => ['get_outcome', uuid(s.outcomes[0])]],
    ['get_event', (s) => ['get_event', text(s.outcomes[0])]],
    ['list_outcomes', (s) => ['list_outcomes', jsonb({ invocation_id: s.ended['invocation_id'] })]],
    ['list_invocations', (s) => ['list_invocations', jsonb({ execution_id: s.execution['execution_id'] })]],
    ['list_events', (s) => ['list_events', jsonb({ outcome_id: s.outcomes[0] })]],
    ['lineage_document', (s) => ['lineage_document', text('impact'), uuid(s.outcomes[0]), integer(5)]],
    ['lineage_why', (s) => ['lineage_why', uuid(s.outcomes[0]), integer(5)]],
  ];

  it.each(cases)('%s', async (_, make, role = ORCHESTRATOR) => {
    const caller = { tenantId, ...ORCHESTRATOR, ...role };
    const unknown: Subjects = {
      ...foreign,
      invocation: random(foreign.invocation, 'invocation_id'),
      execution: random(foreign.execution, 'execution_id'),
      ended: random(foreign.ended, 'invocation_id'),
      outcomes: [randomUUID(), randomUUID()],
    };
    const answer = (subject: Subjects) => {
      const [name, ...args] = make(subject);
      return call<unknown>(database, caller, name, ...args).then(
        (value) => ({ value }),
        ({ code, message, detail, hint, where: _where, ...rest }) => ({
          code,
          message,
          detail,
          hint,
          constraint: rest.constraint_name,
        }),
      );
    };
    const theirs = await answer(foreign);
    expect(theirs).toEqual(await answer(unknown));
    expect(JSON.stringify(theirs)).not.toContain(foreign.outcomes[0]);
  });

  it('and an id that another tenant uses already is free to us', async () => {
    const caller = { tenantId, ...ORCHESTRATOR };
    const [outcomeId, ownOutcome] = [foreign.outcomes[0], subjects.outcomes[0]];
    const taken = [
      ['start_invocation', invocationStart({ invocation_id: foreign.invocation['invocation_id'] })],
      ['start_execution', executionStart({ execution_id: foreign.execution['execution_id'] })],
      ['register_event', event(undefined, { event_id: outcomeId })],
      ['start_invocation', invocationStart({ invocation_id: foreign.outcomes[1] })],
    ] as const;
    for (const [name, document] of taken) {
      expect((await call(database, caller, name, jsonb(document))).result, name).toBe('recorded');
    }
    // Our own outcome's is not: a cause names one thing.
    const own = call(database, caller, 'start_invocation', jsonb(invocationStart({ invocation_id: ownOutcome })));
    expect(await codeOf(own)).toBe('invocation_conflict');
  });
});

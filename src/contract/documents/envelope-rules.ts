import type { Condition, Rule } from '../rules/rule.ts';
import { type OutcomeStatus, STATUS_TABLE, STATUSES, type StatusRow } from '../statuses.ts';
import { timingOrder } from './parts.ts';

function when<M extends keyof StatusRow>(member: M, ...words: StatusRow[M][]): readonly [Condition, OutcomeStatus[]] {
  const statuses = STATUSES.filter((status) => words.includes(STATUS_TABLE[status][member]));
  return [{ isIn: ['/status', statuses] }, statuses];
}

function statusRule(
  [condition, statuses]: readonly [Condition, OutcomeStatus[]],
  path: string,
  need: Condition,
  demand: string,
): Rule {
  return { rule: 'status', path, when: [condition], need, message: `${demand} when status is ${statuses.join(', ')}` };
}

/** The status table of design section 5, one rule for each different demand. */
const statusRules: readonly Rule[] = [
  statusRule(when('result', 'object'), '/result', { present: '/result' }, 'must be an object'),
  statusRule(when('result', 'null'), '/result', { absent: '/result' }, 'must be null'),
  statusRule(when('errors', 'empty'), '/errors', { emptyList: '/errors' }, 'must be empty'),
  statusRule(
    when('errors', 'some', 'some_with_timeout'),
    '/errors',
    { someEntry: '/errors' },
    'must have at least one entry',
  ),
  statusRule(
    when('errors', 'some_with_timeout'),
    '/errors',
    { entryWith: ['/errors', 'code', 'TIMEOUT'] },
    'must have an entry with code TIMEOUT',
  ),
  statusRule(when('escalation', 'required'), '/escalation', { present: '/escalation' }, 'is required'),
  statusRule(when('escalation', 'null'), '/escalation', { absent: '/escalation' }, 'must be null'),
  statusRule(
    when('policy', 'block'),
    '/policy',
    { is: ['/policy/decision', 'block'] },
    'must be present with decision block',
  ),
  statusRule(
    when('policy', 'never_block'),
    '/policy',
    { isNot: ['/policy/decision', 'block'] },
    'must not have decision block',
  ),
];

/** Which members of `execution_context` a pattern asks for on success and partial. The list of patterns is open. */
export const PATTERN_MEMBERS: readonly { readonly member: string; readonly patterns: readonly string[] }[] = [
  { member: 'quorum_achieved', patterns: ['consensus'] },
  { member: 'branches_taken', patterns: ['conditional'] },
  { member: 'sub_workflow_outcomes', patterns: ['hierarchical'] },
  { member: 'parallel_task_count', patterns: ['parallel', 'fan-out-fan-in'] },
];

const patternRules: readonly Rule[] = PATTERN_MEMBERS.map(({ member, patterns }) => ({
  rule: 'pattern_member',
  path: `/execution_context/${member}`,
  when: [
    { isIn: ['/execution_context/execution_pattern', patterns] },
    { isIn: ['/status', ['success', 'partial']] },
    { is: ['/source/type', 'workflow'] },
  ],
  need: { present: `/execution_context/${member}` },
  message: `is required on success and partial when execution_pattern is ${patterns.join(' or ')}`,
}));

export const envelopeRules: readonly Rule[] = [
  ...statusRules,
  timingOrder,
  {
    rule: 'agent_context',
    path: '/execution_context',
    when: [{ is: ['/source/type', 'agent'] }],
    need: { absent: '/execution_context' },
    message: 'must be null for an agent',
  },
  {
    rule: 'workflow_context',
    path: '/execution_context',
    when: [{ is: ['/source/type', 'workflow'] }],
    need: { present: '/execution_context' },
    message: 'is required for a workflow',
  },
  ...patternRules,
  {
    rule: 'pattern_member',
    path: '/execution_context/partial_failure_count',
    when: [{ present: '/execution_context' }, { is: ['/status', 'partial'] }, { is: ['/source/type', 'workflow'] }],
    need: { present: '/execution_context/partial_failure_count' },
    message: 'is required when status is partial',
  },
  {
    rule: 'failed_at_most_tasks',
    path: '/execution_context/partial_failure_count',
    need: {
      numberAtMost: ['/execution_context/partial_failure_count', '/execution_context/parallel_task_count'],
    },
    message: 'must be at most parallel_task_count',
  },
  {
    rule: 'unique',
    path: '/execution_context/sub_workflow_outcomes',
    need: { allDifferent: '/execution_context/sub_workflow_outcomes' },
    message: 'must name no outcome twice',
  },
];

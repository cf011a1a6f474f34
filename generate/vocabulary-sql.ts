import { EXECUTION_STATUS_OF, EXECUTION_STATUS_OF_REASON } from '../src/contract/execution-status.ts';
import { GAPS } from '../src/contract/gaps.ts';
import { HITL_GATEWAY } from '../src/contract/gateway.ts';
import { DOCUMENT_COLUMNS, FEED_TABLES, PURGEABLE_TABLES } from '../src/contract/ledger-tables.ts';
import {
  DEFAULT_DEADLINE_MS,
  DEFAULT_HITL_EXPIRY_MS,
  HEARTBEAT_LAPSE_MS,
  LONGEST_DEADLINE_MS,
} from '../src/contract/limits.ts';
import { RELATIONS } from '../src/contract/relations.ts';
import { CANCELING_ROLES, WEBHOOK_ROLES } from '../src/contract/roles.ts';
import { FAILURE_STATUSES } from '../src/contract/statuses.ts';
import { GOVERNANCE_CLASSES } from '../src/contract/vocabulary.ts';
import { expression } from './expression-sql.ts';
import { judgmentFunctions } from './judgment-sql.ts';
import { phaseFunctions } from './phase-sql.ts';
import { literal, textArray } from './sql-text.ts';

function cases(subject: string, words: Readonly<Record<string, string>>, otherwise: string): string {
  const whens = Object.entries(words).map(([from, to]) => `when ${literal(from)} then ${to}`);
  return `case ${subject} ${whens.join(' ')} ${otherwise} end`;
}

const milliseconds = (ms: number) => `interval '${ms} milliseconds'`;

function executionStatus(): string {
  const words = Object.fromEntries(Object.entries(EXECUTION_STATUS_OF).map(([from, to]) => [from, literal(to)]));
  const completed = Object.keys(EXECUTION_STATUS_OF).filter(
    (status) => EXECUTION_STATUS_OF[status as keyof typeof EXECUTION_STATUS_OF] === 'completed',
  );
  const reasons = Object.entries(EXECUTION_STATUS_OF_REASON).map(
    ([reason, status]) =>
      `when completion_reason = ${literal(reason)} and outcome_status <> all (${textArray(completed)}) then ${literal(status)}`,
  );
  return `case when outcome_status is null then 'running' ${reasons.join(' ')} else ${cases('outcome_status', words, '')} end`;
}

/** The small tables of the contract that hand-written chapters ask. */
export function vocabularyFunctions(): string[] {
  const relations = Object.entries(RELATIONS).flatMap(([relation, ends]) =>
    ends.source.flatMap((source) => ends.target.map((target) => `${relation} ${source} ${target}`)),
  );
  return [
    expression(
      'governance_rank',
      'class text',
      'text',
      'integer',
      'Position of a governance class in rising order of supervision; null for an unknown one.',
      `array_position(${textArray(GOVERNANCE_CLASSES)}, class)`,
    ),
    expression(
      'default_deadline',
      'source_type text',
      'text',
      'interval',
      'How far ahead the deadline of a start lies that names none.',
      cases(
        'source_type',
        {
          agent: milliseconds(DEFAULT_DEADLINE_MS.agent),
          workflow: milliseconds(DEFAULT_DEADLINE_MS.workflow),
        },
        '',
      ),
    ),
    expression(
      'longest_deadline',
      '',
      '',
      'interval',
      'How far ahead a deadline may lie.',
      milliseconds(LONGEST_DEADLINE_MS),
    ),
    expression(
      'default_hitl_expiry',
      '',
      '',
      'interval',
      'How long a request to a human waits that names no expiry.',
      milliseconds(DEFAULT_HITL_EXPIRY_MS),
    ),
    expression(
      'hitl_gateway',
      '',
      '',
      'jsonb',
      'The agent that speaks for humans in the lineage: id, version, domain.',
      literal(JSON.stringify(HITL_GATEWAY)),
    ),
    expression(
      'may_cancel',
      'ledger_role text',
      'text',
      'boolean',
      'Whether a role may give an open subject up.',
      `ledger_role = any (${textArray(CANCELING_ROLES)})`,
    ),
    expression(
      'may_manage_webhooks',
      'ledger_role text',
      'text',
      'boolean',
      'Whether a role may register, read and change webhooks.',
      `ledger_role = any (${textArray(WEBHOOK_ROLES)})`,
    ),
    expression(
      'heartbeat_lapse',
      '',
      '',
      'interval',
      'How old a heartbeat may grow before its subject reads as stalled.',
      milliseconds(HEARTBEAT_LAPSE_MS),
    ),
    expression(
      'execution_status',
      'outcome_status text, completion_reason text',
      'text, text',
      'text',
      'running, completed, failed, cancelled or interrupted.',
      executionStatus(),
    ),
    ...phaseFunctions(),
    ...judgmentFunctions(),
    expression(
      'relation_allowed',
      'relation text, source_type text, target_type text',
      'text, text, text',
      'boolean',
      'Whether a lineage relation may lead from one type of outcome to another.',
      `concat_ws(' ', relation, source_type, target_type) = any (${textArray(relations)})`,
    ),
    expression(
      'failure_statuses',
      '',
      '',
      'text[]',
      'The statuses of outcomes that failed, for root causes.',
      textArray(FAILURE_STATUSES),
    ),
    expression('feed_tables', '', '', 'text[]', 'The tables the feed reads.', textArray(FEED_TABLES)),
    expression(
      'document_columns',
      'ledger_table text',
      'text',
      'text[]',
      'The columns of a feed table that are documents and not facts.',
      cases(
        'ledger_table',
        Object.fromEntries(Object.entries(DOCUMENT_COLUMNS).map(([table, columns]) => [table, textArray(columns)])),
        "else '{}'",
      ),
    ),
    expression(
      'purgeable_tables',
      '',
      '',
      'text[]',
      'The tables a retention policy may name.',
      textArray(PURGEABLE_TABLES),
    ),
    expression(
      'gap_words',
      '',
      '',
      'text',
      'The gaps, for people.',
      literal(`${GAPS.slice(0, -1).join(', ')} or ${GAPS.at(-1)}`),
    ),
    expression(
      'gap_known',
      'gap text',
      'text',
      'boolean',
      'Whether a word is one of the gaps.',
      `gap = any (${textArray(GAPS)})`,
    ),
  ];
}

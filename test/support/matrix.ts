import { randomUUID } from 'node:crypto';
import {
  type LedgerRole,
  ROLE_MATRIX,
  ROLES,
  type Scope,
  WRITE_TABLES,
  type WriteTable,
} from '../../src/contract/roles.ts';
import { jsonb } from '../../src/database/statement.ts';
import type { TestDatabase } from './database.ts';
import {
  type Document,
  envelopeFor,
  event,
  executionStart,
  invocationStart,
  policyDecision,
  policySet,
  policySetHash,
  sourceDefinition,
  toolCall,
  verification,
} from './envelopes.ts';
import { artifactRow, conclusion, reportRow } from './phase-rows.ts';
import { outcomeRow, startRow } from './rows.ts';
import { idOf, type SqlLedger, sqlLedger } from './sql-ledger.ts';

/** The actor whose rights are walked, and somebody else of the same tenant. */
export const ACTOR = 'actor-1';
export const OTHER = 'actor-2';

/** Whose the subject of a write is, in the two senses that the scopes know. */
export interface Ownership {
  /** The subject's source id is the actor's. */
  source: boolean;
  /** The actor wrote the subject's start row, or, of a start, the execution it runs in. */
  started: boolean;
}

export const OWNERSHIPS: Ownership[] = [
  { source: true, started: true },
  { source: true, started: false },
  { source: false, started: true },
  { source: false, started: false },
];

/** What the matrix says, read straight from its words. */
export function allowed(scope: Scope, own: Ownership): boolean {
  return {
    any: true,
    own_source: own.source,
    own_subject: own.started,
    others_source: !own.source,
    own_subject_of_others: own.started && !own.source,
    none: false,
  }[scope];
}

export interface Cell {
  role: LedgerRole;
  table: WriteTable;
  own: Ownership;
  may: boolean;
}

/** Role × table × ownership: the whole matrix. */
export const CELLS: Cell[] = ROLES.flatMap((role) =>
  WRITE_TABLES.flatMap((table) =>
    OWNERSHIPS.map((own) => ({ role, table, own, may: allowed(ROLE_MATRIX[role][table], own) })),
  ),
);

export const nameOf = ({ role, table, own, may }: Cell) =>
  `${role} ${may ? 'writes' : 'does not write'} ${table}, ${own.source ? 'own' : 'foreign'} source, started by ${own.started ? 'itself' : 'another'}`;

/** Subjects of one ownership in one tenant, from which a write to any table can be made. */
export interface Subjects {
  execution: Document;
  invocation: Document;
  /** It has ended with the first of the outcomes, which a verification passed. */
  ended: Document;
  outcomes: [string, string];
  sourceId: string;
  /** A request to a human that waits, opened by neither actor. */
  requestId: string;
}

export async function makeSubjects(database: TestDatabase, tenantId: string, own: Ownership): Promise<Subjects> {
  const starter = own.started ? ACTOR : OTHER;
  const ledger = sqlLedger(database, { tenantId, role: 'orchestrator', actorId: starter });
  const sourceId = own.source ? ACTOR : 'someone-else';
  const source = { id: sourceId, version: '1.0.0', domain: 'art' };
  const execution = await ledger.startExecution({ source });
  const invocation = await ledger.start({ source, execution_id: execution['execution_id'] });
  const ended = await ledger.start({ source });
  const asking = sqlLedger(database, { tenantId, role: 'orchestrator', actorId: 'who-asks' });
  const asked = {
    hitl_request_id: randomUUID(),
    invocation_id: idOf(await ledger.start({ source })),
    reason: 'may it?',
  };
  await asking.ask('open_hitl_request', jsonb(asked));
  const requestId = asked.hitl_request_id;
  const outcomes: [string, string] = [await ledger.end(ended), await endedBy(ledger)];
  await asking.ask('record_verification', jsonb(verification(outcomes[0])));
  return {
    execution,
    invocation,
    ended,
    sourceId,
    requestId,
    outcomes,
  };
}

const endedBy = async (ledger: SqlLedger) => ledger.end(await ledger.start());

/** A fresh document for a write to `table` about these subjects, as the exposed functions take it. */
export function documentFor(table: WriteTable, subjects: Subjects): Document {
  const source = { id: subjects.sourceId, version: '1.0.0', domain: 'art' };
  switch (table) {
    case 'source_definitions':
      return sourceDefinition({ source_id: `defined-${randomUUID()}` });
    case 'workflow_executions':
      return executionStart({ source });
    case 'agent_invocations':
      return invocationStart({ source, execution_id: subjects.execution['execution_id'] });
    case 'agent_tool_calls':
      return toolCall(subjects.invocation['invocation_id']);
    case 'agent_invocation_outcomes':
      return { invocation_id: subjects.invocation['invocation_id'], outcome: envelopeFor(subjects.invocation) };
    case 'workflow_outcomes':
      return { execution_id: subjects.execution['execution_id'], outcome: envelopeFor(subjects.execution) };
    case 'late_outcomes':
      return { invocation_id: subjects.ended['invocation_id'], outcome: envelopeFor(subjects.ended, 'failure') };
    case 'policy_decisions':
      return policyDecision({ invocation_id: subjects.invocation['invocation_id'] });
    case 'policy_sets':
      return policySet({ version: `1.0.0-${randomUUID()}` });
    case 'hitl_requests':
      return { hitl_request_id: randomUUID(), invocation_id: subjects.invocation['invocation_id'], reason: 'may it?' };
    case 'hitl_resolutions':
      return { hitl_request_id: subjects.requestId, resolution: 'approved', reason: 'it may' };
    case 'phase_reports':
    case 'artifacts':
      return { invocation_id: subjects.invocation['invocation_id'], conclusion: conclusion() };
    case 'outcome_verifications':
      return verification(subjects.outcomes[0]);
    case 'delivery_assessments':
      return { assessment_id: randomUUID(), outcome_id: subjects.outcomes[0], assessment: 'delivered' };
    case 'outcome_integrations':
      return { outcome_id: subjects.outcomes[0], reference: '0c0ffee' };
    case 'lifecycle_events':
      return {
        lifecycle_event_id: randomUUID(),
        invocation_id: subjects.invocation['invocation_id'],
        lifecycle: 'waiting',
      };
    case 'os_events':
      return event(subjects.invocation['invocation_id']);
    case 'agent_lineage_links':
      return { source_outcome_id: subjects.outcomes[0], target_outcome_id: subjects.outcomes[1], relation: 'invoked' };
  }
}

/** The same write as a bare row. */
export function rowFor(table: WriteTable, subjects: Subjects): Document {
  const document = documentFor(table, subjects);
  switch (table) {
    case 'workflow_executions':
    case 'agent_invocations':
      return startRow(document);
    case 'agent_invocation_outcomes':
      return outcomeRow(subjects.invocation, document['outcome']);
    case 'workflow_outcomes':
      return outcomeRow(subjects.execution, document['outcome']);
    case 'late_outcomes':
      return outcomeRow(subjects.ended, document['outcome']);
    case 'phase_reports':
      return reportRow(document['invocation_id']);
    case 'artifacts':
      return artifactRow(document['invocation_id']);
    case 'outcome_verifications': {
      const { process, ...members } = document;
      return { ...members, ...process };
    }
    case 'policy_sets':
      return { ...document, checked_hash: policySetHash(document) };
    case 'os_events':
      // Of the actor's own source: a registered event's source is set from its invocation, whatever it claims.
      return { ...document, source: ACTOR };
    default:
      return document;
  }
}

// Evidence about outcomes, as those write it who may.
import { randomUUID } from 'node:crypto';
import { jsonb } from '../../src/database/statement.ts';
import type { TestDatabase } from './database.ts';
import type { Document } from './envelopes.ts';
import { type SqlLedger, sqlLedger } from './sql-ledger.ts';

const ENDED = { started: true, timed_out: false, system_fault: false, signal: null, exit_code: 0 };
/** A verification whose process decides the word, or that had none. */
const PROCESSES: Readonly<Record<string, Document>> = {
  passed: ENDED,
  failed: { ...ENDED, exit_code: 1 },
  timed_out: { ...ENDED, timed_out: true, signal: 'SIGKILL', exit_code: null },
};

/** @param tenantId whose outcomes they are */
export function evidenceIn(database: TestDatabase, tenantId: string) {
  const worker = sqlLedger(database, { tenantId, role: 'worker', actorId: 'verifier-1' });
  const operator = sqlLedger(database, { tenantId, role: 'operator', actorId: 'hanna' });
  const verification = (outcome_id: string, word: string, over: Document = {}) => {
    const process = PROCESSES[word];
    return jsonb({ outcome_id, verification: word, ...(process ? { process, command: 'npm test' } : {}), ...over });
  };
  return {
    /** For a transaction of the test's own. */
    verification,
    worker,
    verify: (id: string, word: string, over?: Document) =>
      worker.ask('record_verification', verification(id, word, over)),
    assess: (outcome_id: string, assessment: string) =>
      worker.ask('assess_delivery', jsonb({ outcome_id, assessment, reason: 'looked for it' })),
    integrate: (outcome_id: string, flags: Document = {}) =>
      operator.ask('record_integration', jsonb({ outcome_id, reference: 'abc123', ...flags })),
    answer: (hitl_request_id: string, resolution = 'approved') =>
      operator.ask('resolve_hitl_request', jsonb({ hitl_request_id, resolution, reason: 'looked at it' })),
  };
}

/** Ends a start as escalated, which opens a request to a human. */
export async function escalate(ledger: SqlLedger, start: Document): Promise<{ id: string; request: string }> {
  const request = randomUUID();
  const escalation = {
    reason: 'unsure',
    escalation_target: 'os-agt-004',
    escalation_path_id: 'path-1',
    policy_rule_triggered: null,
    hitl_request_id: request,
  };
  return { id: await ledger.end(start, 'escalated', { escalation }), request };
}

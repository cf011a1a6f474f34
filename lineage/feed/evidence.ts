import type { EvidenceFacts, OutcomeEvidence } from '../graph/graph.ts';
import type { DatabaseSession } from './database-session.ts';

const FACTS = `
select f.hitl_request_id, f.tenant_id, f.outcome_id, f.verification, f.verification_required, f.assessment, f.integrated, f.awaiting_until
  from ledger_internal.judgment_facts($1::text::uuid[], $2::text::text[], $3::text::uuid) f`;

/** The facts of a row, by column. */
export type Content = Record<string, unknown>;

/** Tables whose rows say something about one outcome, which they name. */
const OF_OUTCOMES = [
  'agent_invocation_outcomes',
  'workflow_outcomes',
  'outcome_verifications',
  'delivery_assessments',
  'outcome_integrations',
];
/** Tables whose rows may keep an escalated outcome waiting; an answer names its request and nothing else. */
const OF_REQUESTS = ['hitl_requests', 'hitl_resolutions'];

export const saysOfOutcome = (kind: string): boolean => OF_OUTCOMES.includes(kind);
export const saysOfRequest = (kind: string): boolean => OF_REQUESTS.includes(kind);

/** A row of the ledger that the feed or a comparison came upon. */
interface FoundRow {
  kind: string;
  tenant_id: string;
  content: Content;
}

/** Evidence as it stands, about what was asked for. */
export interface Evidence {
  ofOutcome(tenantId: string, outcomeId: string): OutcomeEvidence | undefined;
  /** About the escalated outcome that a request is about. */
  ofRequest(tenantId: string, requestId: string): OutcomeEvidence | undefined;
}

/**
 * Reads the evidence about the outcomes that these rows are, or are about, in one call. What the ledger holds now and not
 * what the rows say: the latest word counts, and the feed gives rows in the order of transactions, not in that of words.
 * Who writes later what was read later ends with what is true, whatever was written twice or in another order.
 */
export async function readEvidence(
  session: DatabaseSession,
  tenantId: string | null,
  rows: readonly FoundRow[],
): Promise<Evidence> {
  const outcomes = idsOf(rows, saysOfOutcome, 'outcome_id');
  const requests = idsOf(rows, saysOfRequest, 'hitl_request_id');
  const found = new Map<string, OutcomeEvidence>();
  if (outcomes.length + requests.length > 0) {
    const values = [`{${outcomes.join(',')}}`, `{${requests.map(quoted).join(',')}}`, tenantId];
    for (const { hitl_request_id, ...row } of await session.query(FACTS, values)) {
      const facts = row as unknown as OutcomeEvidence;
      const of = hitl_request_id === null ? `outcome ${facts.outcome_id}` : `request ${hitl_request_id}`;
      found.set(`${facts.tenant_id} ${of}`, facts);
    }
  }
  return {
    ofOutcome: (tenant, id) => found.get(`${tenant} outcome ${id}`),
    ofRequest: (tenant, id) => found.get(`${tenant} request ${id}`),
  };
}

/** What an outcome's own row says where there is no evidence. */
export function withoutEvidence(content: Content): EvidenceFacts {
  return {
    verification: null,
    verification_required: content['verification_required'] as boolean,
    assessment: null,
    integrated: false,
    awaiting_until: null,
  };
}

function idsOf(rows: readonly FoundRow[], wanted: (kind: string) => boolean, column: string): string[] {
  return [...new Set(rows.filter(({ kind }) => wanted(kind)).map(({ content }) => content[column] as string))];
}

/** An element of an array's literal; a request's id is any text. */
const quoted = (text: string) => `"${text.replace(/["\\]/g, '\\$&')}"`;

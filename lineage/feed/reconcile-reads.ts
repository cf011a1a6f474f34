import type { LinkFacts, OutcomeFacts } from '../graph/graph.ts';
import { linkFacts, outcomeFacts } from './changes.ts';
import type { DatabaseSession } from './database-session.ts';
import { type Content, readEvidence } from './evidence.ts';
import { arrayOf } from './reader.ts';

const OUTCOMES = `
select f.kind, f.tenant_id, f.content
  from ledger_internal.outcome_facts_after($1::text::uuid, $2::integer, $3::text::uuid) f`;
const SOURCES =
  'select s.id from ledger_internal.link_sources_after($1::text::uuid, $2::integer, $3::text::uuid) s (id)';
const LINKS = 'select f.tenant_id, f.content from ledger_internal.link_facts_from($1::text::uuid[], $2::text::uuid) f';

interface Outcome {
  kind: string;
  tenant_id: string;
  content: Content;
}

/** Outcomes as they stand, also those that the feed does not give yet, in the order of their ids. */
export async function outcomesAfter(
  session: DatabaseSession,
  tenantId: string | null,
  after: string | null,
  limit: number,
): Promise<OutcomeFacts[]> {
  const rows = (await session.query(OUTCOMES, [after, limit, tenantId])) as unknown as Outcome[];
  const evidence = await readEvidence(session, tenantId, rows);
  // One that was purged in between is still given: who asks for so many takes fewer for the end.
  return rows.map(({ kind, tenant_id, content }) =>
    outcomeFacts(kind, tenant_id, content, evidence.ofOutcome(tenant_id, content['outcome_id'] as string)),
  );
}

/** Ids that links lead out of, in order, each once. */
export async function linkSourcesAfter(
  session: DatabaseSession,
  tenantId: string | null,
  after: string | null,
  limit: number,
): Promise<string[]> {
  const rows = await session.query(SOURCES, [after, limit, tenantId]);
  return rows.map((row) => row['id'] as string);
}

/** Links as they stand that lead out of these outcomes. */
export async function linksFrom(
  session: DatabaseSession,
  tenantId: string | null,
  sources: string[],
): Promise<LinkFacts[]> {
  if (sources.length === 0) return [];
  const rows = await session.query(LINKS, [arrayOf(sources), tenantId]);
  return rows.map((row) => linkFacts(row['tenant_id'] as string, row['content'] as Content));
}

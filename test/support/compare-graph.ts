// Graph equals database: read from the tables by a statement of its own, and from the graph whole.
import type { Sql } from 'postgres';
import type { Graph, LinkFacts, OutcomeFacts } from '../../lineage/graph/graph.ts';

const OUTCOME_COLUMNS = [
  'outcome_id',
  'tenant_id',
  'source_type',
  'source_id',
  'source_version',
  'domain',
  'governance_class',
  'status',
  'execution_id',
  'correlation_id',
  'causation_id',
  'decision',
  'escalation_target',
  'origin',
  'completion_reason',
  'started_at',
  'completed_at',
  'recorded_at',
  'duration_ms',
] as const;
const LINK_COLUMNS = [
  'link_id',
  'tenant_id',
  'source_outcome_id',
  'target_outcome_id',
  'relation',
  'origin',
  'declared_by',
  'recorded_at',
] as const;
const TYPES = 'INVOKED|CONTRIBUTED_TO|ESCALATED_TO|GOVERNED_BY';
const TIMES = ['started_at', 'completed_at', 'recorded_at'];

const utc = (time: string) => `to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`;
/** What stands of an outcome o beside its row; `subject` is the id that requests to humans name. */
const evidenceOf = (subject: string) => {
  const latest = (table: string, column: string) =>
    `(select e.${column} from public.${table} e where e.outcome_id = o.outcome_id order by e.epoch desc, e.seq desc limit 1)`;
  return `${latest('outcome_verifications', 'standing_verification')} as verification,
    coalesce(${latest('outcome_verifications', 'verification_required')}, o.verification_required) as verification_required,
    ${latest('delivery_assessments', 'assessment')} as assessment,
    exists (select from public.outcome_integrations i where i.outcome_id = o.outcome_id) as integrated,
    (select case when o.status = 'escalated' and not exists (select from public.hitl_resolutions a where a.hitl_request_id = q.hitl_request_id and a.tenant_id = q.tenant_id)
                 then ${utc('q.expires_at')} end
       from public.hitl_requests q where q.${subject} = o.${subject} order by q.epoch desc, q.seq desc limit 1) as awaiting_until`;
};

interface Contents {
  outcomes: Map<string, OutcomeFacts>;
  links: Map<string, LinkFacts>;
  /** Ids of ends without an outcome. */
  stubs: Set<string>;
}

/** What the ledger has for one tenant, or for all. */
export async function ledgerContents(admin: Sql, tenantId: string | null): Promise<Contents> {
  const columns = (names: readonly string[]) =>
    names.map((name) => (TIMES.includes(name) ? `${utc(name)} as ${name}` : name)).join(', ');
  const where = tenantId === null ? '' : `where o.tenant_id = '${tenantId}'`;
  const outcomes = await admin.unsafe<OutcomeFacts[]>(`
    select ${columns(OUTCOME_COLUMNS)}, ${evidenceOf('invocation_id')}, invocation_id from public.agent_invocation_outcomes o ${where}
    union all select ${columns(OUTCOME_COLUMNS)}, ${evidenceOf('execution_id')}, null from public.workflow_outcomes o ${where}`);
  const links = await admin.unsafe<LinkFacts[]>(
    `select ${columns(LINK_COLUMNS)} from public.agent_lineage_links o ${where}`,
  );
  return contentsOf(
    outcomes.map((row) => ({ ...row, duration_ms: Number(row.duration_ms) })),
    [...links],
  );
}

/** All that a graph has, page by page; throws where something stands twice. */
export async function graphContents(graph: Graph): Promise<Contents & { nodes: number; relationships: number }> {
  const outcomes: OutcomeFacts[] = [];
  const links: LinkFacts[] = [];
  const stubs: string[] = [];
  const seen = new Set<string>();
  for (let after: string | null = null; ; ) {
    const page: Awaited<ReturnType<Graph['outcomesAfter']>> = await graph.outcomesAfter(after, 1_000);
    if (page.length === 0) break;
    for (const { key, facts } of page) {
      if (seen.has(key.outcome_id)) throw new Error(`the node ${key.outcome_id} stands twice`);
      seen.add(key.outcome_id);
      if (facts) outcomes.push(facts);
      else stubs.push(key.outcome_id);
    }
    links.push(...(await graph.linksFrom(page.map(({ key }) => key.outcome_id))));
    after = page.at(-1)?.key.outcome_id ?? null;
  }
  const found = contentsOf(outcomes, links);
  if (found.links.size !== links.length) throw new Error(`${links.length - found.links.size} links stand twice`);
  const limits = { timeoutMs: 60_000, maxRows: 10 };
  const nodes = await graph.query('MATCH (n:Outcome) RETURN count(n) AS n', {}, limits);
  const relationships = await graph.query(`MATCH (:Outcome)-[r:${TYPES}]->(:Outcome) RETURN count(r) AS n`, {}, limits);
  return {
    ...found,
    stubs: new Set(stubs),
    nodes: Number(nodes.rows[0]?.['n']),
    relationships: Number(relationships.rows[0]?.['n']),
  };
}

/** In what a graph differs from the ledger; empty when it has everything once and nothing else. */
export async function differences(admin: Sql, graph: Graph, tenantId: string | null = null): Promise<string[]> {
  const [ledger, mirrored] = [await ledgerContents(admin, tenantId), await graphContents(graph)];
  return [
    ...differencesOf('outcome', ledger.outcomes, mirrored.outcomes),
    ...differencesOf('link', ledger.links, mirrored.links),
    ...differencesOf('stub', mapOf(ledger.stubs), mapOf(mirrored.stubs)),
    ...counted('nodes', ledger.outcomes.size + ledger.stubs.size, mirrored.nodes),
    ...counted('relationships', ledger.links.size, mirrored.relationships),
  ];
}

function contentsOf(outcomes: OutcomeFacts[], links: LinkFacts[]): Contents {
  const byId = new Map(outcomes.map((row) => [row.outcome_id, row]));
  const ends = links.flatMap((link) => [link.source_outcome_id, link.target_outcome_id]);
  return {
    outcomes: byId,
    links: new Map(links.map((link) => [`${link.source_outcome_id} ${link.relation} ${link.target_outcome_id}`, link])),
    stubs: new Set(ends.filter((id) => !byId.has(id))),
  };
}

function differencesOf(what: string, ledger: Map<string, object>, graph: Map<string, object>): string[] {
  const found: string[] = [];
  for (const [key, facts] of ledger) {
    const mirrored = graph.get(key);
    if (!mirrored) found.push(`missing ${what} ${key}`);
    else if (textOf(facts) !== textOf(mirrored)) {
      found.push(`different ${what} ${key}: ${textOf(facts)} is mirrored as ${textOf(mirrored)}`);
    }
  }
  for (const key of graph.keys()) if (!ledger.has(key)) found.push(`surplus ${what} ${key}`);
  return found;
}

const mapOf = (keys: Set<string>) => new Map([...keys].map((key) => [key, {}]));
const textOf = (facts: object) =>
  JSON.stringify(Object.entries(facts).sort(([one], [other]) => (one < other ? -1 : 1)));
const counted = (what: string, ledger: number, graph: number) =>
  ledger === graph ? [] : [`${graph} ${what}, not ${ledger}`];

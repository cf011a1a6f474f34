// Lineage of every hard shape, laid down as rows in a moment: what SQL and Cypher are compared over.
import type { Sql } from 'postgres';
import { standingVerification } from '../../src/contract/judgment/index.ts';
import {
  DELIVERY_ASSESSMENTS,
  RECORDED_VERIFICATIONS,
  type RecordedVerification,
} from '../../src/contract/judgment/words.ts';
import { FAILURE_STATUSES, STATUSES } from '../../src/contract/statuses.ts';
import { GOVERNANCE_CLASSES, POLICY_DECISIONS } from '../../src/contract/vocabulary.ts';
import { randomFrom, shuffled } from './random.ts';

/** Ids by shape, all of one tenant. */
export interface GeneratedGraph {
  tenantId: string;
  /** Twenty on each other: top, two middles, bottom and top of the next, …: a million chains. */
  diamonds: string[];
  /** Ten layers of eight, each outcome caused by all of the layer before: 8^9 chains. */
  lattice: string[];
  /** Each the cause of the next, the last of the first. */
  ring: string[];
  /** One cause, two hundred effects, one effect of all. */
  fan: string[];
  /** Each caused by the one before; 70 links, longer than any depth that may be asked for. */
  chain: string[];
  /** Forty outcomes and 140 links of all four relations, cycles among them. */
  knot: string[];
  /** As the knot, but causes always come before effects. */
  dag: string[];
  /** Workflows that invoked their four steps, which contribute to them; half of all failed. */
  workflows: string[];
  /** Guards' outcomes, some governed themselves; the first governed a hundred outcomes. */
  guards: string[];
  /** Outcomes that are gone while their links stand. */
  purged: string[];
  /** Without any link. */
  alone: string;
  correlations: string[];
}

interface Node {
  outcome_id: string;
  source_type: 'agent' | 'workflow';
  status: string;
  correlation_id: string;
  completed_at: string;
  recorded_at: string;
  decision: string | null;
  domain: string;
  governance_class: string;
  execution_id: string;
  purged: boolean;
  /** In the order in which they were recorded. */
  verifications: RecordedVerification[];
  required: boolean;
  assessment: string | null;
  integrated: boolean;
  /** Whether a human was asked about it, and what came of that. */
  asked: 'open' | 'answered' | 'expired' | null;
}
interface Link {
  source_outcome_id: string;
  target_outcome_id: string;
  relation: string;
  declared_by: string | null;
}

/**
 * Two tenants of the same shapes, whose ids, correlations and times interleave.
 *
 * @param admin a superuser
 */
export async function writeGeneratedGraphs(
  admin: Sql,
  tenants: readonly [string, string],
  seed: number,
): Promise<GeneratedGraph[]> {
  const random = randomFrom(seed);
  const pool = shuffled(
    Array.from({ length: 4_000 }, (_, n) => idOf(seed, n)),
    random,
  );
  const made = tenants.map((tenantId, n) =>
    generate(
      tenantId,
      pool.filter((_, at) => at % 2 === n),
      random,
      seed + n,
    ),
  );
  await admin`select ledger_internal.current_epoch()`;
  for (const { graph, nodes, links } of made) await lay(admin, graph.tenantId, nodes, links);
  await admin`analyze`;
  return made.map(({ graph }) => graph);
}

const idOf = (seed: number, n: number) =>
  `${hex(seed, 8)}-${hex(n * 7, 4)}-4${hex(n, 3)}-8${hex(n * 3, 3)}-${hex(n * 1_048_583, 12)}`;
const hex = (n: number, digits: number) => (n % 16 ** digits).toString(16).padStart(digits, '0');

/** What others say of a good part of the outcomes; from numbers of its own, so that the shapes stay what they were. */
function observe(nodes: readonly Node[], seed: number): void {
  const random = randomFrom(seed + 1_000);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  for (const node of nodes) {
    node.required = random() < 0.3;
    const dice = random();
    if (dice < 0.5) node.verifications = ['failed', ...(dice < 0.2 ? [pick(RECORDED_VERIFICATIONS)] : [])];
    else if (dice < 0.7) node.verifications = [pick(RECORDED_VERIFICATIONS)];
    if (random() < 0.2) node.assessment = pick(DELIVERY_ASSESSMENTS);
    node.integrated = random() < 0.2;
    if (node.status === 'escalated') node.asked = pick(['open', 'answered', 'expired', null]);
  }
}

function generate(tenantId: string, ids: string[], random: () => number, seed: number) {
  const nodes: Node[] = [];
  const links = new Map<string, Link>();
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  // Of the other half of all ids, which no outcome has.
  const executions = ids.splice(0, 200).map((id) => `e${id.slice(1)}`);
  const correlations = Array.from({ length: 12 }, (_, n) => `corr ${n} “ü”`);

  function outcome(source_type: Node['source_type'] = 'agent', over: Partial<Node> = {}): string {
    const outcome_id = ids.pop() as string;
    // Few times, so that many are equal and the ids decide.
    const at = (n: number) => `2026-05-20T10:00:${String(n).padStart(2, '0')}.000${n % 2}00Z`;
    const status = random() < 0.5 ? pick(FAILURE_STATUSES) : pick(STATUSES);
    const decision = random() < 0.3 ? pick(POLICY_DECISIONS) : null;
    const node: Node = {
      outcome_id,
      source_type,
      status,
      correlation_id: pick(correlations),
      completed_at: at(Math.floor(random() * 20)),
      recorded_at: at(Math.floor(random() * 6) + 30),
      decision,
      domain: pick(['art', 'finance', 'synedrix-os']),
      governance_class: pick(GOVERNANCE_CLASSES),
      execution_id: pick(executions),
      purged: false,
      verifications: [],
      required: false,
      assessment: null,
      integrated: false,
      asked: null,
      ...over,
    };
    if (['success', 'partial'].includes(node.status) && node.decision === null) node.governance_class = 'autonomous';
    nodes.push(node);
    return outcome_id;
  }
  const outcomes = (count: number, over?: Partial<Node>) => Array.from({ length: count }, () => outcome('agent', over));
  function link(source_outcome_id: string, target_outcome_id: string, relation = 'invoked'): void {
    if (source_outcome_id === target_outcome_id) return;
    const declared_by = relation !== 'governed-by' && random() < 0.1 ? 'orc-1' : null;
    links.set([source_outcome_id, target_outcome_id, relation].join(), {
      source_outcome_id,
      target_outcome_id,
      relation,
      declared_by,
    });
  }
  /** Cause and effect by any relation that their types allow, sometimes by two at once. */
  function cause(from: string, to: string): void {
    const typeOf = (id: string) => nodes.find((node) => node.outcome_id === id)?.source_type;
    for (let times = random() < 0.2 ? 2 : 1; times > 0; times -= 1) {
      const relations = ['invoked', 'escalated-to'];
      if (typeOf(to) === 'workflow') relations.push('contributed-to');
      if (typeOf(from) === 'agent') relations.push('governed-by');
      const relation = pick(relations);
      if (relation === 'governed-by') link(to, from, relation);
      else link(from, to, relation);
    }
  }

  const diamonds = outcomes(61);
  for (let top = 0; top + 3 < diamonds.length; top += 3) {
    for (const side of [top + 1, top + 2]) {
      cause(diamonds[top] as string, diamonds[side] as string);
      cause(diamonds[side] as string, diamonds[top + 3] as string);
    }
  }
  const lattice = outcomes(80);
  lattice.slice(8).forEach((effect, n) => {
    const layer = Math.floor(n / 8) * 8;
    for (const from of lattice.slice(layer, layer + 8)) link(from, effect);
  });
  const ring = outcomes(3, { status: 'failure' });
  ring.forEach((id, n) => {
    link(id, ring[(n + 1) % ring.length] as string);
  });
  const fan = outcomes(202);
  for (const middle of fan.slice(1, -1)) {
    cause(fan[0] as string, middle);
    cause(middle, fan.at(-1) as string);
  }
  const chain = outcomes(71, { status: 'failure' });
  chain.slice(1).forEach((id, n) => {
    link(chain[n] as string, id, n % 3 === 0 ? 'escalated-to' : 'invoked');
  });
  const mixed = () => Array.from({ length: 40 }, () => outcome(random() < 0.3 ? 'workflow' : 'agent'));
  const knot = mixed();
  for (let n = 0; n < 140; n += 1) cause(pick(knot), pick(knot));
  const dag = mixed();
  for (let n = 0; n < 140; n += 1) {
    const [a, b] = [Math.floor(random() * dag.length), Math.floor(random() * dag.length)].sort((x, y) => x - y);
    cause(dag[a as number] as string, dag[b as number] as string);
  }
  const workflows: string[] = [];
  for (let n = 0; n < 6; n += 1) {
    const workflow = outcome('workflow');
    for (const step of outcomes(4)) {
      link(workflow, step);
      link(step, workflow, 'contributed-to');
      workflows.push(step);
    }
    if (workflows.length > 4) link(workflows.at(-6) as string, workflow);
    workflows.push(workflow);
  }
  const guards = outcomes(4);
  for (const governed of [...fan.slice(1, 80), ...knot.slice(0, 20), workflows.at(-1) as string]) {
    link(governed, guards[0] as string, 'governed-by');
  }
  link(guards[0] as string, guards[1] as string, 'governed-by');
  link(guards[1] as string, guards[2] as string, 'governed-by');
  link(guards[2] as string, guards[0] as string);

  const purged = [diamonds[3], fan[1], knot[0], guards[3]] as string[];
  link(dag[0] as string, guards[3] as string, 'governed-by');
  for (const node of nodes) if (purged.includes(node.outcome_id)) node.purged = true;
  const alone = outcome();
  observe(nodes, seed);
  const graph: GeneratedGraph = {
    tenantId,
    diamonds,
    lattice,
    ring,
    fan,
    chain,
    knot,
    dag,
    workflows,
    guards,
    purged,
    alone,
    correlations,
  };
  return { graph, nodes, links: [...links.values()] };
}

/** In replica mode, as a restore does: rows that were recorded once need no author now. */
async function lay(admin: Sql, tenantId: string, nodes: readonly Node[], links: readonly Link[]): Promise<void> {
  const stamp = `nextval('ledger_internal.feed_seq'), (select max(epoch) from public.epochs), pg_current_xact_id()`;
  const facts = `'1.4.2', n.domain, n.governance_class, n.status, n.correlation_id, 'event-1', n.decision, '2026-05-20T10:00:00Z', n.completed_at, 1500, 0, '{}'::jsonb,
    n.required, ${stamp}, n.recorded_at, 'a test'`;
  const columns = `source_version, domain, governance_class, status, correlation_id, causation_id, decision, started_at, completed_at, duration_ms, timing_drift_ms, outcome_envelope,
    verification_required, seq, epoch, xid, recorded_at, recorded_by`;
  const read = `jsonb_to_recordset($1::text::jsonb) as n (outcome_id uuid, source_type text, status text, correlation_id text, completed_at timestamptz,
    recorded_at timestamptz, decision text, domain text, governance_class text, execution_id uuid, purged boolean, required boolean, verifications text[], standing text[],
    assessment text, integrated boolean, asked text)`;
  await admin.begin(async (tx) => {
    await tx`set local session_replication_role = replica`;
    const json = JSON.stringify(nodes.map((node) => ({ ...node, standing: standingOf(node.verifications) })));
    await tx.unsafe(
      `insert into public.outcome_ids (outcome_id, tenant_id, source_type) select n.outcome_id, '${tenantId}', n.source_type from ${read}`,
      [json],
    );
    await tx.unsafe(
      `insert into public.agent_invocation_outcomes (tenant_id, outcome_id, invocation_id, execution_id, source_id, ${columns})
       select '${tenantId}', n.outcome_id, gen_random_uuid(), n.execution_id, 'art-agt-00' || length(n.status), ${facts} from ${read} where n.source_type = 'agent' and not n.purged`,
      [json],
    );
    await tx.unsafe(
      `insert into public.workflow_outcomes (tenant_id, outcome_id, execution_id, source_id, ${columns})
       select '${tenantId}', n.outcome_id, gen_random_uuid(), 'WF-ART-003', ${facts} from ${read} where n.source_type = 'workflow' and not n.purged`,
      [json],
    );
    const about = `'${tenantId}', n.outcome_id, n.source_type, 'a source'`;
    const end = `'digest', ${stamp}, n.recorded_at, 'a test'`;
    const columnsOfEvidence = 'tenant_id, outcome_id, source_type, source_id';
    const endOfColumns = 'request_digest, seq, epoch, xid, recorded_at, recorded_by';
    await tx.unsafe(
      `insert into public.outcome_verifications (${columnsOfEvidence}, verification, standing_verification, verification_required, ${endOfColumns})
       select ${about}, v.word, v.standing, n.required, ${end} from ${read} cross join lateral unnest(n.verifications, n.standing) with ordinality v (word, standing, place) order by v.place`,
      [json],
    );
    await tx.unsafe(
      `insert into public.delivery_assessments (${columnsOfEvidence}, assessment, ${endOfColumns}) select ${about}, n.assessment, ${end} from ${read} where n.assessment is not null`,
      [json],
    );
    await tx.unsafe(
      `insert into public.outcome_integrations (${columnsOfEvidence}, reference, ${endOfColumns}) select ${about}, 'abc123', ${end} from ${read} where n.integrated`,
      [json],
    );
    await tx.unsafe(
      `insert into public.hitl_requests (tenant_id, hitl_request_id, subject_type, invocation_id, execution_id, opened_from, source_id, correlation_id, reason, expires_at, ${endOfColumns})
       select '${tenantId}', 'ask ' || n.outcome_id, o.subject_type, case o.subject_type when 'invocation' then o.subject_id end, case o.subject_type when 'execution' then o.subject_id end,
              'outcome', 'a source', n.correlation_id, 'please', case n.asked when 'expired' then now() - interval '1 day' else now() + interval '1 day' end, ${end}
         from ${read} join ledger_internal.outcomes o on o.outcome_id = n.outcome_id where n.asked is not null`,
      [json],
    );
    await tx.unsafe(
      `insert into public.hitl_resolutions (tenant_id, hitl_request_id, resolution, reason, gateway_invocation_id, seq, epoch, xid, recorded_at, recorded_by)
       select '${tenantId}', 'ask ' || n.outcome_id, 'approved', 'yes', gen_random_uuid(), ${stamp}, n.recorded_at, 'a test' from ${read} where n.asked = 'answered'`,
      [json],
    );
    await tx.unsafe(
      `insert into public.agent_lineage_links (tenant_id, source_outcome_id, source_type, target_outcome_id, target_type, relation, origin, declared_by, seq, epoch, xid, recorded_at, recorded_by)
       select '${tenantId}', l.source_outcome_id, s.source_type, l.target_outcome_id, t.source_type, l.relation,
              case when l.declared_by is null then 'derived' else 'declared' end, l.declared_by, ${stamp}, clock_timestamp(), 'a test'
         from jsonb_to_recordset($1::text::jsonb) as l (source_outcome_id uuid, target_outcome_id uuid, relation text, declared_by text)
         join public.outcome_ids s on s.outcome_id = l.source_outcome_id join public.outcome_ids t on t.outcome_id = l.target_outcome_id`,
      [JSON.stringify(links)],
    );
  });
}

/** What verification says as of each of them. */
function standingOf(words: readonly RecordedVerification[]): RecordedVerification[] {
  const standing: RecordedVerification[] = [];
  for (const word of words) standing.push(standingVerification(standing.at(-1) ?? null, word));
  return standing;
}

// The ledger's lineage as a plain graph, and the questions of the lineage functions answered over it in the simplest way:
// what SQL and Cypher answer is compared with this.
import type { Sql } from 'postgres';

export interface ModelNode {
  outcome_id: string;
  status: string;
  /** RFC 3339 in UTC with six decimals, so that texts compare as times do. */
  completed_at: string;
  recorded_at: string;
}
export interface ModelEdge {
  cause: string;
  effect: string;
  relation: string;
}
export interface LineageModel {
  nodes: Map<string, ModelNode>;
  edges: ModelEdge[];
}

/** @param sql someone who reads all rows */
export async function readModel(sql: Sql, tenantId: string): Promise<LineageModel> {
  const nodes = await sql<ModelNode[]>`
    select outcome_id, status, ledger_internal.rfc3339(completed_at) as completed_at, ledger_internal.rfc3339(recorded_at) as recorded_at
      from ledger_internal.outcomes where tenant_id = ${tenantId}`;
  const links = await sql<{ source: string; target: string; relation: string }[]>`
    select source_outcome_id as source, target_outcome_id as target, relation from public.agent_lineage_links where tenant_id = ${tenantId}`;
  const edges = links.map(({ source, target, relation }) =>
    relation === 'governed-by'
      ? { cause: target, effect: source, relation }
      : { cause: source, effect: target, relation },
  );
  return { nodes: new Map(nodes.map((node) => [node.outcome_id, node])), edges };
}

export interface ChainStep {
  outcome_id: string;
  relation: string | null;
}

/** `lineage_path`: the chain and its direction, or null. */
export function shortestPath(model: LineageModel, from: string, to: string, cap: number) {
  const forward = leastChain(model, from, to, cap);
  if (forward) return { direction: 'forward', steps: withRelations(model, forward) };
  const backward = leastChain(model, to, from, cap);
  return backward && { direction: 'backward', steps: withRelations(model, backward) };
}

/** Layer by layer the least chain of ids to every outcome; the first layer that holds the end has the answer. */
function leastChain({ edges }: LineageModel, cause: string, effect: string, cap: number): string[] | null {
  let layer = new Map([[cause, [cause]]]);
  const seen = new Set([cause]);
  for (let depth = 0; depth <= cap && layer.size > 0; depth += 1) {
    const found = layer.get(effect);
    if (found) return found;
    const next = new Map<string, string[]>();
    for (const edge of edges) {
      const before = layer.get(edge.cause);
      if (!before || seen.has(edge.effect)) continue;
      const chain = [...before, edge.effect];
      const known = next.get(edge.effect);
      if (!known || chain.join() < known.join()) next.set(edge.effect, chain);
    }
    for (const id of next.keys()) seen.add(id);
    layer = next;
  }
  return null;
}

function withRelations({ edges }: LineageModel, chain: string[]): ChainStep[] {
  return chain.map((outcome_id, n) => {
    const between = edges.filter((edge) => edge.cause === chain[n - 1] && edge.effect === outcome_id);
    return { outcome_id, relation: between.map((edge) => edge.relation).sort()[0] ?? null };
  });
}

export interface RootCause {
  outcome_id: string;
  failures: number;
  truncated: boolean;
}

/** `lineage_root_causes`, the order included; null bounds are none. */
export function rootCauses(model: LineageModel, from: string | null, to: string | null, cap: number): RootCause[] {
  const failed = (id: string) => ['failure', 'timeout'].includes(model.nodes.get(id)?.status ?? '');
  const rank = (id: string) => {
    const node = model.nodes.get(id) as ModelNode;
    return [node.completed_at, node.recorded_at, id].join(' ');
  };
  const causesOf = (id: string) => [
    ...new Set(
      model.edges
        .filter((edge) => edge.effect === id && failed(edge.cause) && rank(edge.cause) < rank(id))
        .map((edge) => edge.cause),
    ),
  ];
  const found = new Map<string, RootCause>();
  for (const { outcome_id, completed_at } of model.nodes.values()) {
    if (!failed(outcome_id) || (from && completed_at < from) || (to && completed_at >= to)) continue;
    const reached = new Set([outcome_id]);
    let layer = [outcome_id];
    for (let depth = 0; depth <= cap && layer.length > 0; depth += 1) {
      const next = new Set<string>();
      for (const id of layer) {
        const causes = causesOf(id);
        if (causes.length === 0 || depth === cap) {
          const row = found.get(id) ?? { outcome_id: id, failures: 0, truncated: causes.length > 0 };
          found.set(id, { ...row, failures: row.failures + 1 });
        }
        for (const cause of causes) if (!reached.has(cause)) next.add(cause);
      }
      for (const id of next) reached.add(id);
      layer = [...next];
    }
  }
  const completed = (id: string) => (model.nodes.get(id) as ModelNode).completed_at;
  const order = (a: RootCause, b: RootCause) =>
    b.failures - a.failures ||
    compare(completed(a.outcome_id), completed(b.outcome_id)) ||
    compare(a.outcome_id, b.outcome_id);
  return [...found.values()].sort(order);
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

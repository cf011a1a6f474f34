import { GraphFault } from '../fault.ts';
import type { GraphChanges, LinkFacts, LinkKey, OutcomeEvidence, OutcomeKey } from '../graph.ts';
import { checkRows } from './check-rows.ts';
import { EVIDENCE_COLUMNS, LINK_COLUMNS, OUTCOME_COLUMNS } from './columns.ts';
import { readColumns } from './reads.ts';
import type { Run } from './store.ts';
import { createLinks, deleteLinks, findLinked, findLinks, tablesOf, updateLinks } from './write-links.ts';
import {
  createOutcomes,
  createStubs,
  deleteNodes,
  findNodes,
  type StandingNode,
  turnIntoStubs,
  updateEvidence,
  updateOutcomes,
} from './write-outcomes.ts';

type Nodes = Map<string, StandingNode>;

/**
 * Applies net changes inside a transaction. What stands already is looked up and then changed, the rest is made: the library's
 * own MERGE reads whole tables, and has had plans that lose rows.
 *
 * @returns how many links went
 */
export async function applyChanges(run: Run, changes: GraphChanges): Promise<{ deletedLinks: number }> {
  checkRows(changes);
  const outcomes = [...changes.outcomes].sort(byText(({ outcome_id }) => outcome_id));
  const links = [...changes.links].sort(byText(linkOrder));
  const deletedLinks = [...changes.deletedLinks].sort(byText(linkOrder));
  const nodes = await findNodes(run, idsIn(changes));

  const made = new Set<string>();
  await writeOutcomes(run, outcomes, nodes, made);
  await makeStubs(run, links, nodes, made);
  await writeLinks(run, links, made);
  await writeEvidence(run, changes.evidence, nodes);
  const deleted = await removeLinks(run, deletedLinks, nodes);
  await removeOutcomes(run, changes.deletedOutcomes, deletedLinks, nodes);
  return { deletedLinks: deleted };
}

async function writeOutcomes(run: Run, outcomes: GraphChanges['outcomes'], nodes: Nodes, made: Set<string>) {
  for (const facts of outcomes) refuseOtherTenant(facts, nodes);
  await createOutcomes(
    run,
    outcomes.filter(({ outcome_id }) => !nodes.has(outcome_id)),
  );
  const standing = outcomes.filter(({ outcome_id }) => nodes.has(outcome_id));
  await updateOutcomes(run, await changed(run, standing, OUTCOME_COLUMNS));
  for (const { outcome_id, tenant_id } of outcomes) {
    if (!nodes.has(outcome_id)) made.add(outcome_id);
    nodes.set(outcome_id, { tenant_id, stub: false });
  }
}

/** Evidence of outcomes that stand with their facts; where one comes later, it brings its evidence. */
async function writeEvidence(run: Run, evidence: OutcomeEvidence[], nodes: Nodes) {
  const about = evidence.filter(({ outcome_id, tenant_id }) => {
    const node = nodes.get(outcome_id);
    return node?.tenant_id === tenant_id && !node.stub;
  });
  const rows = await changed(run, about, EVIDENCE_COLUMNS);
  await updateEvidence(run, rows.sort(byText(({ outcome_id }) => outcome_id)));
}

/** A replay writes nothing: what stands as it should is left alone. */
async function changed<T extends OutcomeKey>(run: Run, rows: T[], columns: Record<string, unknown>): Promise<T[]> {
  const ids = rows.map(({ outcome_id }) => outcome_id);
  const standing = await readColumns(run, ids, Object.keys(columns));
  return rows.filter((facts) => !sameFacts(facts, standing.get(facts.outcome_id) ?? {}, columns));
}

function sameFacts(facts: object, standing: object, columns: object): boolean {
  const [one, other] = [facts as Record<string, unknown>, standing as Record<string, unknown>];
  return Object.keys(columns).every((name) => (one[name] ?? null) === (other[name] ?? null));
}

async function makeStubs(run: Run, links: LinkFacts[], nodes: Nodes, made: Set<string>) {
  const stubs: OutcomeKey[] = [];
  for (const { source_outcome_id, target_outcome_id, tenant_id } of links) {
    for (const outcome_id of [source_outcome_id, target_outcome_id]) {
      refuseOtherTenant({ outcome_id, tenant_id }, nodes);
      if (nodes.has(outcome_id)) continue;
      stubs.push({ outcome_id, tenant_id });
      made.add(outcome_id);
      nodes.set(outcome_id, { tenant_id, stub: true });
    }
  }
  await createStubs(run, stubs.sort(byText(({ outcome_id }) => outcome_id)));
}

async function writeLinks(run: Run, links: LinkFacts[], made: Set<string>) {
  for (const [type, lying] of tablesOf(links)) {
    // A link to a node made just now cannot lie there yet. That is nearly every link, and looking for one is dear.
    const found = await findLinks(
      run,
      type,
      lying.filter(({ from, to }) => !made.has(from) && !made.has(to)),
    );
    await createLinks(
      run,
      type,
      lying.filter((link) => !found.has(link)),
    );
    await updateLinks(
      run,
      type,
      [...found].filter(([{ link }, standing]) => !sameFacts(link, standing, LINK_COLUMNS)).map(([lying]) => lying),
    );
  }
}

async function removeLinks(run: Run, links: LinkKey[], nodes: Nodes): Promise<number> {
  let deleted = 0;
  const standing = links.filter(
    (link) =>
      nodes.get(link.source_outcome_id)?.tenant_id === link.tenant_id &&
      nodes.get(link.target_outcome_id)?.tenant_id === link.tenant_id,
  );
  for (const [type, lying] of tablesOf(standing)) {
    const found = await findLinks(run, type, lying);
    await deleteLinks(run, type, [...found.keys()]);
    deleted += found.size;
  }
  return deleted;
}

/** A deleted outcome that still has links becomes a stub; a stub left without links goes. */
async function removeOutcomes(run: Run, deleted: OutcomeKey[], deletedLinks: LinkKey[], nodes: Nodes) {
  const gone = deleted
    .filter(({ outcome_id, tenant_id }) => nodes.get(outcome_id)?.tenant_id === tenant_id)
    .map(({ outcome_id }) => outcome_id);
  const loosened = deletedLinks
    .flatMap((link) => [link.source_outcome_id, link.target_outcome_id])
    .filter((id) => nodes.get(id)?.stub);
  const candidates = [...new Set([...gone, ...loosened])].sort();
  const linked = await findLinked(run, candidates);
  const withLinks = gone.filter((id) => linked.has(id) && !nodes.get(id)?.stub);
  await turnIntoStubs(run, withLinks.sort());
  await deleteNodes(
    run,
    candidates.filter((id) => !linked.has(id)),
  );
}

function idsIn({ outcomes, evidence, links, deletedOutcomes, deletedLinks }: GraphChanges): string[] {
  const ends = [...links, ...deletedLinks].flatMap((link) => [link.source_outcome_id, link.target_outcome_id]);
  const own = [...outcomes, ...evidence, ...deletedOutcomes].map(({ outcome_id }) => outcome_id);
  return [...new Set([...own, ...ends])].sort();
}

/** An outcome's id is minted once over all tenants, so a node of another one under it is no twin but damage. */
function refuseOtherTenant({ outcome_id, tenant_id }: OutcomeKey, nodes: Nodes): void {
  const node = nodes.get(outcome_id);
  if (node && node.tenant_id !== tenant_id) {
    throw new GraphFault('row', 'row_refused', `outcome ${outcome_id} stands in the graph under another tenant`);
  }
}

const linkOrder = (link: LinkKey): string => `${link.source_outcome_id} ${link.target_outcome_id} ${link.relation}`;

function byText<T>(text: (row: T) => string): (one: T, other: T) => number {
  return (one, other) => (text(one) < text(other) ? -1 : 1);
}

import type { FeedChange, FeedRow } from '../feed/ledger.ts';
import type { GraphChanges, LinkKey, OutcomeKey } from '../graph/graph.ts';

export const NO_CHANGES: Readonly<GraphChanges> = { outcomes: [], links: [], deletedOutcomes: [], deletedLinks: [] };

export const outcomeKeyText = (key: OutcomeKey): string => `${key.tenant_id} ${key.outcome_id}`;
export const linkKeyText = (key: LinkKey): string =>
  `${key.tenant_id} ${key.source_outcome_id} ${key.target_outcome_id} ${key.relation}`;

export const outcomeKeyOf = ({ outcome_id, tenant_id }: OutcomeKey): OutcomeKey => ({ outcome_id, tenant_id });
export const linkKeyOf = ({ tenant_id, source_outcome_id, target_outcome_id, relation }: LinkKey): LinkKey => ({
  tenant_id,
  source_outcome_id,
  target_outcome_id,
  relation,
});

/** What a stretch of the feed comes to: the last change of a key wins, each key stands once. */
export function netChanges(rows: readonly Pick<FeedRow, 'change'>[]): GraphChanges {
  const last = new Map<string, FeedChange>();
  for (const { change } of rows) last.set(keyOf(change), change);
  const net: GraphChanges = { outcomes: [], links: [], deletedOutcomes: [], deletedLinks: [] };
  for (const change of last.values()) {
    if (change.type === 'outcome') net.outcomes.push(change.facts);
    else if (change.type === 'link') net.links.push(change.facts);
    else if (change.type === 'outcome_deleted') net.deletedOutcomes.push(change.key);
    else net.deletedLinks.push(change.key);
  }
  return net;
}

export function countOf(changes: GraphChanges): number {
  return changes.outcomes.length + changes.links.length + changes.deletedOutcomes.length + changes.deletedLinks.length;
}

/** The deletion of what a change wrote. A deletion stays one. */
export function invertedChange({ change }: Pick<FeedRow, 'change'>): Pick<FeedRow, 'change'> {
  if (change.type === 'outcome') return { change: { type: 'outcome_deleted', key: outcomeKeyOf(change.facts) } };
  if (change.type === 'link') return { change: { type: 'link_deleted', key: linkKeyOf(change.facts) } };
  return { change };
}

function keyOf(change: FeedChange): string {
  switch (change.type) {
    case 'outcome':
      return `outcome ${outcomeKeyText(change.facts)}`;
    case 'outcome_deleted':
      return `outcome ${outcomeKeyText(change.key)}`;
    case 'link':
      return `link ${linkKeyText(change.facts)}`;
    case 'link_deleted':
      return `link ${linkKeyText(change.key)}`;
  }
}

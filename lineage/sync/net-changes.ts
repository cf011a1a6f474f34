import type { FeedChange, FeedRow } from '../feed/ledger.ts';
import type { GraphChanges, LinkKey, OutcomeEvidence, OutcomeKey } from '../graph/graph.ts';

export const NO_CHANGES: Readonly<GraphChanges> = {
  outcomes: [],
  evidence: [],
  links: [],
  deletedOutcomes: [],
  deletedLinks: [],
};

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
  for (const { change } of rows) {
    if (change.type !== 'evidence') last.set(keyOf(change), change);
    else if (change.facts) noteEvidence(last, change.facts);
  }
  const net: GraphChanges = { outcomes: [], evidence: [], links: [], deletedOutcomes: [], deletedLinks: [] };
  for (const change of last.values()) {
    if (change.type === 'outcome') net.outcomes.push(change.facts);
    else if (change.type === 'evidence') net.evidence.push(change.facts as OutcomeEvidence);
    else if (change.type === 'link') net.links.push(change.facts);
    else if (change.type === 'outcome_deleted') net.deletedOutcomes.push(change.key);
    else net.deletedLinks.push(change.key);
  }
  return net;
}

/** An outcome of the same stretch takes the evidence with it; about a deleted one there is none. */
function noteEvidence(last: Map<string, FeedChange>, facts: OutcomeEvidence): void {
  const key = `outcome ${outcomeKeyText(facts)}`;
  const before = last.get(key);
  if (before?.type === 'outcome') last.set(key, { type: 'outcome', facts: { ...before.facts, ...facts } });
  else if (before?.type !== 'outcome_deleted') last.set(key, { type: 'evidence', key: {}, facts });
}

export function countOf(changes: GraphChanges): number {
  return Object.values(changes).reduce((sum, rows) => sum + rows.length, 0);
}

/** The deletion of what a change wrote. A deletion stays one; evidence goes with its outcome. */
export function invertedChange({ change }: Pick<FeedRow, 'change'>): Pick<FeedRow, 'change'> {
  if (change.type === 'outcome') return { change: { type: 'outcome_deleted', key: outcomeKeyOf(change.facts) } };
  if (change.type === 'link') return { change: { type: 'link_deleted', key: linkKeyOf(change.facts) } };
  return { change: change.type === 'evidence' ? { ...change, facts: null } : change };
}

function keyOf(change: Exclude<FeedChange, { type: 'evidence' }>): string {
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

import { POLICY_DECISIONS, type PolicyDecisionWord } from '../contract/index.ts';

/** What a policy says by its effect and annotations, when it decides. */
export interface Say {
  readonly decision: PolicyDecisionWord;
  readonly requiresHitl: boolean;
  /** 0 to 1; null when the policy gives none. */
  readonly riskScore: number | null;
}

export type Annotations = Readonly<Record<string, string | null>>;

const KNOWN = ['id', 'decision', 'requires_hitl', 'risk_score'] as const;
const RISK_SCORE = /^(0\.[0-9]{1,4}|1\.0{1,4}|0|1)$/;

/** What the annotations of a policy mean, and what is wrong with them. */
export function sayOf(effect: 'permit' | 'forbid', annotations: Annotations): { say: Say; faults: string[] } {
  const faults: string[] = [];
  const value = (name: (typeof KNOWN)[number]) =>
    Object.hasOwn(annotations, name) ? (annotations[name] ?? '') : undefined;

  const natural = effect === 'permit' ? 'allow' : 'block';
  const decision = value('decision') ?? natural;
  const words: readonly string[] = effect === 'permit' ? ['allow'] : ['block', 'escalate'];
  if (!words.includes(decision)) faults.push(decisionFault(effect, decision));

  const hitl = value('requires_hitl');
  if (hitl !== undefined && hitl !== 'true' && hitl !== 'false') {
    faults.push('@requires_hitl must be "true" or "false"');
  } else if (decision === 'escalate' && hitl === 'false') {
    faults.push('@requires_hitl must not be "false" beside @decision("escalate"), which always asks a human');
  } else if (effect === 'forbid' && decision !== 'escalate' && hitl === 'true') {
    faults.push('@requires_hitl("true") on a forbid must stand with @decision("escalate"): a block asks nobody');
  }

  const risk = value('risk_score');
  if (risk !== undefined && !RISK_SCORE.test(risk)) {
    faults.push('@risk_score must be a number from 0 to 1 with at most 4 decimals, such as "0.35"');
  }

  const say: Say = {
    decision: POLICY_DECISIONS.find((word) => word === decision) ?? 'block',
    requiresHitl: hitl === 'true' || decision === 'escalate',
    riskScore: risk === undefined ? null : Number(risk),
  };
  return { say, faults };
}

function decisionFault(effect: 'permit' | 'forbid', decision: string): string {
  if (effect === 'forbid') return '@decision of a forbid must be "block" or "escalate"';
  return decision === 'escalate'
    ? '@decision of a permit must be "allow": use @requires_hitl("true"), or a forbid with @decision("escalate")'
    : '@decision of a permit must be "allow"';
}

/** Annotations that mean nothing to the ledger, but look like one that does. */
export function misspelt(annotations: Annotations): { name: string; meant: string }[] {
  return Object.keys(annotations).flatMap((name) => {
    if (KNOWN.some((known) => known === name)) return [];
    const plain = plainName(name);
    const meant = KNOWN.find((known) => known.length > 2 && edits(plain, plainName(known)) <= 2);
    return meant ? [{ name, meant }] : [];
  });
}

const plainName = (name: string) => name.toLowerCase().replaceAll('_', '');

/** Characters put in, taken out or changed to turn one word into the other; at most a long way off: 3. */
function edits(one: string, other: string): number {
  if (Math.abs(one.length - other.length) > 2) return 3;
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i++) {
    const next = [i];
    for (let j = 1; j <= other.length; j++) {
      const change = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 3;
}

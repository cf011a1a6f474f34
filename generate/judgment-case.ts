/** The derivation of `src/contract/judgment` as CASE expressions, which SQL and Cypher write nearly alike. */
import {
  BY_LIFECYCLE,
  BY_VERIFICATION,
  COUNTS_AS_SUCCESS,
  type Judgment,
  UNKNOWN,
} from '../src/contract/judgment/derive.ts';
import { OUTCOME_LIFECYCLES } from '../src/contract/judgment/lifecycle.ts';
import { consequencesOf } from '../src/contract/judgment/table.ts';
import {
  JUDGMENTS,
  type JudgmentWord,
  LIFECYCLES,
  NOT_DELIVERED,
  UNVERIFIED_REASONS,
  VERIFICATIONS,
} from '../src/contract/judgment/words.ts';

export interface Dialect {
  readonly list: (words: readonly string[]) => string;
  readonly nothing: string;
}
const quoted = (word: string) => `'${word}'`;
export const SQL: Dialect = { list: (words) => `(${words.map(quoted).join(', ')})`, nothing: 'null' };
export const CYPHER: Dialect = { list: (words) => `[${words.map(quoted).join(', ')}]`, nothing: 'null' };

/** What the expressions read, each an expression of the dialect. */
export interface JudgmentParts {
  lifecycle: string;
  verification: string;
  required: string;
  assessment: string;
}

interface When {
  condition: string;
  gives: string;
}
function caseOf(whens: readonly When[], otherwise: string): string {
  return `case ${whens.map(({ condition, gives }) => `when ${condition} then ${gives}`).join(' ')} else ${otherwise} end`;
}

/** The lifecycle of a subject that has its outcome; `also` gives the expressions of what stands beside it. */
export function lifecycleCase(
  dialect: Dialect,
  parts: { status: string; completionReason: string; integrated: string; openRequest: string },
): string {
  const whens = OUTCOME_LIFECYCLES.map(({ statuses, completion_reasons, also, lifecycle }) => ({
    condition: [
      ...(statuses ? [`${parts.status} in ${dialect.list(statuses)}`] : []),
      ...(completion_reasons ? [`${parts.completionReason} in ${dialect.list(completion_reasons)}`] : []),
      ...(also ? [also === 'integrated' ? parts.integrated : parts.openRequest] : []),
    ].join(' and '),
    gives: quoted(lifecycle),
  }));
  return caseOf(whens, dialect.nothing);
}

/** Lifecycles for which verification decides. */
const DECIDED_BY_VERIFICATION = LIFECYCLES.filter((lifecycle) => BY_LIFECYCLE[lifecycle] === null);

interface Cell {
  condition: string;
  judgment: Judgment;
}

/** What verification makes of what was delivered, with the words that need not ask whether it was required first. */
function cells(dialect: Dialect, { verification, required }: JudgmentParts): Cell[] {
  return (['either', 'required', 'free'] as const).flatMap((side) => {
    const words = VERIFICATIONS.filter((word) => {
      const { required: one, free: other } = BY_VERIFICATION[word];
      return (one.outcome === other.outcome && one.reason === other.reason) === (side === 'either');
    });
    const made = (word: (typeof words)[number]) => BY_VERIFICATION[word][side === 'free' ? 'free' : 'required'];
    const kinds = [...new Set(words.map((word) => JSON.stringify(made(word))))];
    return kinds.map((kind) => {
      const alike = words.filter((word) => JSON.stringify(made(word)) === kind);
      const asked = side === 'either' ? '' : side === 'free' ? ` and not ${required}` : ` and ${required}`;
      return { condition: `${verification} in ${dialect.list(alike)}${asked}`, judgment: JSON.parse(kind) as Judgment };
    });
  });
}

/** The judgment's word. What no row names, on either axis, is what an unknown word is: never a success. */
export function judgmentCase(dialect: Dialect, parts: JudgmentParts): string {
  const inner = caseOf(
    cells(dialect, parts).map(({ condition, judgment }) => ({
      condition,
      gives: COUNTS_AS_SUCCESS[judgment.outcome]
        ? `case when ${parts.assessment} in ${dialect.list(NOT_DELIVERED)} then 'failed' else ${quoted(judgment.outcome)} end`
        : quoted(judgment.outcome),
    })),
    quoted(UNKNOWN.outcome),
  );
  const words = [...new Set(Object.values(BY_LIFECYCLE))].filter((word): word is JudgmentWord => word !== null);
  return caseOf(
    [
      ...words.map((word) => ({
        condition: `${parts.lifecycle} in ${dialect.list(LIFECYCLES.filter((lifecycle) => BY_LIFECYCLE[lifecycle] === word))}`,
        gives: quoted(word),
      })),
      { condition: `${parts.lifecycle} in ${dialect.list(DECIDED_BY_VERIFICATION)}`, gives: inner },
    ],
    quoted(UNKNOWN.outcome),
  );
}

/** Why it is unverified; nothing for any other judgment. */
export function reasonCase(dialect: Dialect, judgment: string, parts: JudgmentParts): string {
  const reasons = cells(dialect, parts).filter(({ judgment: { reason } }) => reason !== null);
  const inner = caseOf(
    reasons.map(({ condition, judgment: { reason } }) => ({ condition, gives: quoted(reason as string) })),
    quoted(UNKNOWN.reason as string),
  );
  return caseOf(
    [
      { condition: `${judgment} <> 'unverified'`, gives: dialect.nothing },
      { condition: `${parts.lifecycle} in ${dialect.list(DECIDED_BY_VERIFICATION)}`, gives: inner },
    ],
    quoted(UNKNOWN.reason as string),
  );
}

/** What follows from a judgment, from the contract's consequences of each word. */
export function consequenceCase(
  dialect: Dialect,
  member: 'gate' | 'counts_as_success' | 'in_success_base' | 'in_agent_score',
  judgment: string,
): string {
  const value = (word: JudgmentWord) => consequencesOf({ outcome: word, reason: null })[member];
  const values = [...new Set(JUDGMENTS.map(value))];
  const alike = (wanted: unknown) => JUDGMENTS.filter((word) => value(word) === wanted);
  if (values.every((one) => typeof one === 'boolean')) return `${judgment} in ${dialect.list(alike(true))}`;
  return caseOf(
    values.map((one) => ({ condition: `${judgment} in ${dialect.list(alike(one))}`, gives: quoted(String(one)) })),
    dialect.nothing,
  );
}

/** What people are shown; nothing where verification has nothing to say. */
export function tagCase(dialect: Dialect, judgment: string, reason: string): string {
  const plain = JUDGMENTS.filter((word) => consequencesOf({ outcome: word, reason: null }).tag !== null);
  const whens = [
    ...plain.map((word) => ({
      condition: `${judgment} = ${quoted(word)}`,
      gives: quoted(consequencesOf({ outcome: word, reason: null }).tag as string),
    })),
    ...UNVERIFIED_REASONS.map((word) => ({
      condition: `${reason} = ${quoted(word)}`,
      gives: quoted(consequencesOf({ outcome: 'unverified', reason: word }).tag as string),
    })),
  ];
  return caseOf(whens, dialect.nothing);
}

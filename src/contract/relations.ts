import type { SourceType } from './vocabulary.ts';

interface RelationEnds {
  readonly source: readonly SourceType[];
  readonly target: readonly SourceType[];
  /** May an orchestrator declare such a link, or does only the database derive it? */
  readonly declarable: boolean;
}

/** The relations of lineage and the types their ends may have (design sections 4 and 8). */
export const RELATIONS = {
  invoked: { source: ['agent', 'workflow'], target: ['agent', 'workflow'], declarable: true },
  'contributed-to': { source: ['agent', 'workflow'], target: ['workflow'], declarable: true },
  'escalated-to': { source: ['agent', 'workflow'], target: ['agent', 'workflow'], declarable: true },
  'governed-by': { source: ['agent', 'workflow'], target: ['agent'], declarable: false },
} as const satisfies Record<string, RelationEnds>;

export type Relation = keyof typeof RELATIONS;

export const DECLARED_RELATIONS = ['invoked', 'contributed-to', 'escalated-to'] as const satisfies readonly Relation[];

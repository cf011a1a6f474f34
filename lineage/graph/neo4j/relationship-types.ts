import { RELATIONS, type Relation } from '../../../src/contract/relations.ts';

/** The relationship type of each relation: its name in capitals. */
export const TYPE_OF = Object.fromEntries(
  Object.keys(RELATIONS).map((relation) => [relation, relation.toUpperCase().replaceAll('-', '_')]),
) as Record<Relation, string>;

export const RELATION_OF: Record<string, Relation> = Object.fromEntries(
  Object.entries(TYPE_OF).map(([relation, type]) => [type, relation as Relation]),
);

/** For patterns: `INVOKED|CONTRIBUTED_TO|…`. */
export const ANY_TYPE = Object.values(TYPE_OF).join('|');

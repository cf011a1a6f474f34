// Cypher for auditors: the named queries, and what keeps a query of one's own within bounds.
export { askNamed } from './ask.ts';
export { type BoundQuery, bindQuery, bindRaw } from './bind.ts';
export { type NamedQuery, namedQueries, type QueryName } from './catalogue.ts';
export { DEEPEST, guardQuery } from './guard.ts';
export type { ParameterType, QueryParameter } from './parameters.ts';

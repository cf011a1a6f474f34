import { QueryRefused } from '../graph/fault.ts';
import type { Token } from './tokens.ts';

/** They tell what the graph holds, and reach no further. */
export const MAY_BE_CALLED = [
  'db.labels',
  'db.propertyKeys',
  'db.relationshipTypes',
  'db.schema.nodeTypeProperties',
  'db.schema.relTypeProperties',
  'db.schema.visualization',
];

/**
 * Refuses calls of Neo4j's procedures, but for a few. In a transaction that reads, the server runs whatever calls itself a read,
 * and what an operator has installed may call itself so and ask files and addresses: apoc.load.json does. A procedure's name has
 * a dot in it; the embedded graph's functions have none, and `CALL { … }` is a query within the query.
 *
 * @throws QueryRefused `query_writes`
 */
export function refuseProcedures(tokens: readonly Token[]): void {
  for (const [at, token] of tokens.entries()) {
    if (token.kind !== 'name' || token.text.toUpperCase() !== 'CALL') continue;
    const name = nameAt(tokens, at + 1);
    if (!name.includes('.') || MAY_BE_CALLED.includes(name)) continue;
    throw new QueryRefused(
      'query_writes',
      `a query may read the graph and nothing else: of procedures it may call ${MAY_BE_CALLED.join(', ')}, and not ${name}`,
    );
  }
}

/** `db.labels`, `` `db` . `labels` ``: names with dots between them. */
function nameAt(tokens: readonly Token[], start: number): string {
  let name = '';
  for (let at = start; tokens[at]?.kind === 'name'; at += 2) {
    name += tokens[at]?.text.replaceAll('`', '');
    if (tokens[at + 1]?.text !== '.') break;
    name += '.';
  }
  return name;
}

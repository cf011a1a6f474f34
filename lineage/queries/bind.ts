import { QueryRefused } from '../graph/fault.ts';
import { type NamedQuery, namedQueries } from './catalogue.ts';
import { guardQuery } from './guard.ts';
import { readParameters, readValue } from './parameters.ts';
import { parametersOf } from './tokens.ts';

/** A text and the values of every parameter that it names, and of no other: the embedded graph refuses those. */
export interface BoundQuery {
  text: string;
  parameters: Record<string, unknown>;
}

/** @throws QueryRefused `query_invalid` for a name that there is not; it lists those that there are */
export function queryNamed(name: string): NamedQuery {
  const query = namedQueries.find((one) => one.name === name);
  if (query) return query;
  const names = namedQueries.map((one) => one.name).join(', ');
  throw new QueryRefused('query_invalid', `there is no query ${JSON.stringify(name)}: there are ${names}`);
}

/**
 * A named query for Neo4j. To ask either graph: `askNamed`.
 *
 * @param raw values by the parameters' names: texts as the command line has them, or numbers
 * @param tenantId the tenant whose outcomes are seen
 * @throws QueryRefused `query_invalid` with the path of the value and what was expected
 */
export function bindQuery(name: string, raw: Record<string, unknown>, tenantId: string): BoundQuery {
  const query = queryNamed(name);
  const parameters = readParameters(name, query.parameters, raw);
  const { from_time: from, to_time: to } = parameters;
  if (from && to && from > to) {
    throw new QueryRefused('query_invalid', `/to_time must not be before /from_time: ${to} is before ${from}`);
  }
  return { text: query.text, parameters: { ...parameters, tenant_id: readValue('/tenant_id', 'uuid', tenantId) } };
}

/**
 * A query of the caller's own, for either graph: its paths bounded, each of its parameters given.
 *
 * @param tenantId stands for `$tenant_id` where the text names it; null: the text must not
 * @throws QueryRefused `query_unbounded`, or `query_invalid` for parameters that are missing or not asked for
 */
export function bindRaw(text: string, raw: Record<string, unknown>, tenantId: string | null): BoundQuery {
  guardQuery(text);
  if (tenantId !== null && Object.hasOwn(raw, 'tenant_id')) {
    throw new QueryRefused(
      'query_invalid',
      '$tenant_id is the tenant that was asked for; do not give it another value',
    );
  }
  const given: Record<string, unknown> = tenantId === null ? { ...raw } : { tenant_id: tenantId, ...raw };
  const wanted = parametersOf(text);
  const missing = wanted.find((name) => !Object.hasOwn(given, name));
  if (missing !== undefined) {
    throw new QueryRefused('query_invalid', `the query asks for $${missing}, which was not given`);
  }
  const unused = Object.keys(raw).find((name) => !wanted.includes(name));
  if (unused !== undefined) throw new QueryRefused('query_invalid', `the query does not ask for $${unused}`);
  return { text, parameters: Object.fromEntries(wanted.map((name) => [name, given[name]])) };
}

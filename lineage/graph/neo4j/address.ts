import { GraphFault } from '../fault.ts';

const SCHEMES = ['neo4j', 'neo4j+s', 'neo4j+ssc', 'bolt', 'bolt+s', 'bolt+ssc'];

/** The database that is meant where none is named: a fresh server's first one. */
export const DEFAULT_DATABASE = 'neo4j';

/**
 * Where a graph is: the server and the database, without credentials, e.g. `neo4j+s://4d1c.databases.neo4j.io/neo4j`.
 *
 * @throws GraphFault `neo4j_uri_invalid`
 */
export function neo4jAddress({ uri, database }: { uri: string; database?: string }): string {
  const url = parsed(uri);
  return `${url.protocol}//${url.host}/${database || DEFAULT_DATABASE}`;
}

/** The uri as the driver takes it: the server alone, and how it routes. */
export function serverUri(uri: string): string {
  const url = parsed(uri);
  return `${url.protocol}//${url.host}${url.search}`;
}

function parsed(uri: string): URL {
  const url = URL.canParse(uri) ? new URL(uri) : undefined;
  if (!url || !SCHEMES.includes(url.protocol.slice(0, -1)) || url.hostname === '') {
    throw invalid(`\`${withoutCredentials(uri)}\` is no address of a Neo4j`);
  }
  if (url.username || url.password) {
    // The driver would pass over them and log in as nobody.
    throw invalid('the address of a Neo4j carries no user and no password: give them by NEO4J_USER and NEO4J_PASSWORD');
  }
  if (url.pathname !== '' && url.pathname !== '/') {
    throw invalid(
      `the address of a Neo4j ends after its port; name the database \`${url.pathname.slice(1)}\` by NEO4J_DATABASE`,
    );
  }
  return url;
}

function invalid(reason: string): GraphFault {
  const wanted = `${SCHEMES.map((scheme) => `${scheme}://`).join(', ')} and HOST:PORT`;
  return new GraphFault('whole', 'neo4j_uri_invalid', `NEO4J_URI: ${reason}. Expected: one of ${wanted}.`);
}

const withoutCredentials = (uri: string): string => uri.replace(/^.*@/, '…@');

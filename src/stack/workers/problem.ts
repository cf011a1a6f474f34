import { GraphFault, GraphRefused, LedgerRefused, QueryRefused, SyncRefused } from '../../../lineage/index.ts';
import { GraphUnavailable } from './graph-target.ts';

/** What went wrong with a mirror, as `application/problem+json` (RFC 9457) and as the command shows it. */
export interface WorkerProblem {
  type: string;
  title: string;
  status: number;
  code: string;
  detail: string;
  remedy: string | null;
}

/** An error of the mirror's parts as a problem; undefined for one that nobody foresaw. */
export function knownProblem(error: unknown): WorkerProblem | undefined {
  if (error instanceof QueryRefused) {
    const status = error.code === 'query_timeout' ? 504 : 422;
    return problem(status, 'The query was refused', error.code, error.message, QUERY_REMEDIES[error.code]);
  }
  if (error instanceof SyncRefused) return problem(409, 'Not now', error.code, error.message, error.remedy);
  if (error instanceof GraphRefused) {
    return problem(409, 'The graph must not be used', error.code, error.message, error.remedy);
  }
  if (error instanceof LedgerRefused) {
    return problem(503, 'The ledger refuses to be read', error.code, error.message, error.remedy);
  }
  if (error instanceof GraphUnavailable) return problem(503, 'No graph', error.code, error.message, error.remedy);
  if (error instanceof GraphFault) {
    const remedy = graphRemedy(error);
    return problem(503, 'The graph does not work', 'graph_fault', `${error.message} (${error.code})`, remedy);
  }
  if (error instanceof Error && LEDGER_AWAY.has(error.name)) {
    const remedy = 'check the connection string of ledger_sync, and that the database runs';
    return problem(503, 'The ledger does not answer', 'database_unreachable', error.message, remedy);
  }
  return undefined;
}

export function problem(
  status: number,
  title: string,
  code: string,
  detail: string,
  remedy: string | null,
): WorkerProblem {
  return { type: 'about:blank', title, status, code, detail, remedy };
}

/** Names of the errors that stand for a lost or refused session; they are internal to the mirror. */
const LEDGER_AWAY = new Set(['LedgerLost', 'LedgerUnreachable']);

function graphRemedy({ code, kind, remedy }: GraphFault): string {
  if (code.startsWith('Neo.ClientError.Security')) return 'set NEO4J_USER and NEO4J_PASSWORD to a login of that Neo4j';
  if (code === 'graph_locked') return 'ask the process that has it open: its /healthz tells how it is; or stop it';
  if (remedy) return remedy;
  if (kind === 'passing') return 'see that the graph runs, then ask again';
  return 'mend what the detail names (address, credentials, disk), then ask again';
}

const QUERY_REMEDIES: Record<QueryRefused['code'], string> = {
  query_invalid: 'mend the query, or choose a named one: outcome-ledger cypher --list',
  query_writes: 'leave out what writes: the mirror is written by its worker alone',
  query_timeout: 'ask for less (a smaller --depth, a narrower match), or give it longer with --timeout',
  query_unbounded: 'bound what the detail names: a path by -[*1..20]->, a list by its length',
};

import { QueryRefused } from '../fault.ts';
import { isKeyword, type Token, tokensOf } from './query-tokens.ts';

/** What a query may begin with. */
const READS = ['MATCH', 'OPTIONAL', 'UNWIND', 'WITH', 'RETURN', 'CALL'];
/** What may be called: reads about the graph itself. */
const CALLS = ['SHOW_TABLES', 'TABLE_INFO', 'SHOW_FUNCTIONS', 'SHOW_MACROS', 'SHOW_CONNECTION', 'DB_VERSION'];
/** Words that write, or reach for files and settings; the library lets some of them pass as reads (`COPY … TO`, `LOAD FROM`, `EXPORT`, `ATTACH`, `CALL x = 1`). */
const WRITES =
  'CREATE MERGE SET DELETE DETACH REMOVE DROP ALTER COPY LOAD EXPORT IMPORT INSTALL UNINSTALL UPDATE ATTACH USE CHECKPOINT BEGIN COMMIT ROLLBACK COMMENT FOREACH'.split(
    ' ',
  );
const AGGREGATES = ['COUNT', 'SUM', 'MIN', 'MAX', 'AVG', 'COLLECT'];
const CLAUSES = [...READS, 'WHERE', 'ORDER', 'SKIP', 'LIMIT', 'UNION'];

/** A query's text, read far enough to be run with limits. */
export interface QueryText {
  tokens: Token[];
  /** Without a semicolon at its end. */
  text: string;
  /** Where the last RETURN begins that is not inside brackets; null when there is none, or when UNION joins several. */
  lastReturn: number | null;
  /** Has the last RETURN a LIMIT? */
  limited: boolean;
}

/**
 * @throws QueryRefused `query_writes` for what writes, or reads and writes files beside the graph; `query_invalid`
 */
export function readQueryText(text: string): QueryText {
  const tokens = tokensOf(text);
  while (tokens.at(-1)?.text === ';') tokens.pop();
  const first = tokens[0];
  if (!first) throw new QueryRefused('query_invalid', 'the query is empty: give it a MATCH … RETURN …');
  const last = tokens.at(-1) as Token;
  refuseWriting(tokens);
  if (first.kind !== 'word' || !READS.includes(first.value)) {
    throw new QueryRefused(
      'query_invalid',
      `a query begins with one of ${READS.join(', ')}, not with ${first.text.slice(0, 40)}`,
    );
  }
  refuseMiscounted(tokens);
  const union = tokens.some((token, at) => token.depth === 0 && isKeyword(tokens, at, 'UNION'));
  const lastAt = tokens.findLastIndex((token, at) => token.depth === 0 && isKeyword(tokens, at, 'RETURN'));
  const limited = tokens.some((token, at) => at > lastAt && token.depth === 0 && isKeyword(tokens, at, 'LIMIT'));
  return {
    tokens,
    text: text.slice(0, last.start + last.text.length),
    lastReturn: union || lastAt < 0 ? null : (tokens[lastAt] as Token).start,
    limited,
  };
}

function refuseWriting(tokens: Token[]): void {
  const at = tokens.findIndex((_, at) => isKeyword(tokens, at, ...WRITES) && !isFunction(tokens, at));
  const called = tokens.findIndex(
    (_, at) => isKeyword(tokens, at, 'CALL') && !CALLS.includes(tokens[at + 1]?.value ?? ''),
  );
  const found = at >= 0 ? at : called;
  if (found < 0) return;
  throw new QueryRefused(
    'query_writes',
    `queries only read, and nothing but this graph: ${tokens[found]?.text}${found === called ? ` ${tokens[found + 1]?.text ?? ''}` : ''} is refused`,
  );
}

/** `left(…)` and the like: a word before a bracket, unless the word opens a clause with a pattern. */
function isFunction(tokens: Token[], at: number): boolean {
  const word = tokens[at]?.value ?? '';
  return tokens[at + 1]?.text === '(' && !['CREATE', 'MERGE', 'FOREACH', 'DELETE', 'COPY'].includes(word);
}

/**
 * The library answers wrongly, or crashes, where in one projection with groups an aggregate follows one with DISTINCT. Such a
 * text is refused rather than answered with nulls and zeros.
 */
function refuseMiscounted(tokens: Token[]): void {
  const distinctIn = new Map<number, string>();
  for (const [at, token] of tokens.entries()) {
    if (CLAUSES.some((word) => isKeyword(tokens, at, word)))
      for (const depth of distinctIn.keys()) if (depth >= token.depth) distinctIn.delete(depth);
    if (!AGGREGATES.includes(token.value) || token.kind !== 'word' || tokens[at + 1]?.text !== '(') continue;
    const distinct = tokens[at + 2]?.value === 'DISTINCT';
    const earlier = distinctIn.get(token.depth);
    if (earlier && !distinct) {
      throw new QueryRefused(
        'query_invalid',
        `the embedded graph counts wrongly when ${token.text}(…) comes after ${earlier}(DISTINCT …): put aggregates with DISTINCT last`,
      );
    }
    if (distinct) distinctIn.set(token.depth, token.text);
  }
}

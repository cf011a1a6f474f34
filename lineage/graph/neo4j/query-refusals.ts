import { QueryRefused } from '../fault.ts';
import { firstSentence, isServerError } from './faults.ts';

/** The codes that are the query's own fault, and what to say before the server's words. */
const REFUSALS: { code: RegExp; refusal: QueryRefused['code']; what: string }[] = [
  { code: /\.Statement\.AccessMode$/, refusal: 'query_writes', what: 'a query may read the graph and nothing else' },
  { code: /ReadOnly.*Database$/, refusal: 'query_writes', what: 'a query may read the graph and nothing else' },
  { code: /\.TransactionTimedOut|\.ExecutionTimeout$/, refusal: 'query_timeout', what: 'the query took too long' },
  {
    code: /OutOfMemory/,
    refusal: 'query_unbounded',
    what: 'the query needs more memory than the server gives one: bound its paths and rows',
  },
  { code: /StackOverFlow/, refusal: 'query_unbounded', what: 'the query nests too deep for the server' },
  { code: /^Neo\.ClientError\.(Statement|Procedure)\./, refusal: 'query_invalid', what: 'the query is not valid' },
];

/** An error of a query as a refusal of that query; other errors come back as they are. `linesBefore` the query's own were sent. */
export function refusalOf(error: unknown, { linesBefore }: { linesBefore: number }): unknown {
  if (!isServerError(error)) return error;
  const found = REFUSALS.find(({ code }) => code.test(error.code));
  if (!found) return error;
  const said = firstSentence(error).replace(/\.$/, '');
  const place = placeIn(error.message, linesBefore);
  return new QueryRefused(found.refusal, `${found.what}: ${withoutPlace(said)}${place}`, { cause: error });
}

export function timedOut(timeoutMs: number): QueryRefused {
  return new QueryRefused('query_timeout', `the query took too long: more than ${timeoutMs / 1000} s`);
}

const PLACE = /\s*\(line (\d+), column (\d+) \(offset: \d+\)\)/;

const withoutPlace = (said: string): string => said.replace(PLACE, '');

function placeIn(message: string, linesBefore: number): string {
  const found = PLACE.exec(message);
  const line = Number(found?.[1]) - linesBefore;
  return found && line > 0 ? ` (line ${line}, column ${found[2]})` : '';
}

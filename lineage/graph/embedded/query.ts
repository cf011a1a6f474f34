import { QueryRefused } from '../fault.ts';
import type { QueryOptions, QueryResult } from '../graph.ts';
import { AnswerSize } from './answer-size.ts';
import { lastOf, type Row } from './files.ts';
import type { Connection, Parameters } from './library.ts';
import { type OverrunWatch, tooLong } from './overrun.ts';
import { refuseShapeless } from './parameter-shapes.ts';
import { refuseGrowth } from './query-growth.ts';
import { type QueryText, readQueryText } from './query-text.ts';
import { isRounded, plainValue, timeOfText } from './query-values.ts';
import type { Store } from './store.ts';

/** Recursive patterns reach so far at most; the library's own limit is 30. */
const DEEPEST = 64;
/** Rows read at once before others get their turn. */
const ROWS_A_TURN = 200;

interface Answer {
  columns: string[];
  types: string[];
  rows: Row[];
  more: boolean;
}

/**
 * Runs a query that reads. See `docs/cypher.md` for what this graph understands.
 *
 * @throws QueryRefused `query_writes`, `query_invalid`, `query_timeout`, `query_unbounded` (it needs more memory than one query gets)
 */
export async function runQuery(
  store: Store,
  overruns: OverrunWatch,
  text: string,
  parameters: Record<string, unknown>,
  { timeoutMs, maxRows }: QueryOptions,
): Promise<QueryResult> {
  const query = readQueryText(text);
  const bound = boundParameters(query, parameters);
  refuseGrowth(query.tokens, parameters);
  const deadline = Date.now() + timeoutMs;
  const limited = limitedText(bound.text, bound.query, maxRows);
  const working = overruns.limit(text, timeoutMs, (began) =>
    store.read(async (reader) => {
      began();
      const answer = await answerTo(reader, limited, bound.parameters, maxRows, deadline);
      return await withoutRounding(reader, bound, answer, maxRows, deadline);
    }),
  );
  const answer = await working.catch((error) => {
    throw refusalOf(error, timeoutMs);
  });
  const rows = answer.rows.map((row) =>
    Object.fromEntries(answer.columns.map((name, n) => [name, plainValue(row[name], answer.types[n] as string)])),
  );
  return { columns: answer.columns, rows, truncated: answer.more };
}

interface Bound {
  text: string;
  query: QueryText;
  parameters: Parameters;
}

/** Parameters from JSON. An empty list has no type to the library, so it goes into the text, as `[]`. */
function boundParameters(query: QueryText, parameters: Record<string, unknown>): Bound {
  const used = query.tokens.filter(({ kind }) => kind === 'parameter');
  const missing = used.find(({ value }) => !Object.hasOwn(parameters, value));
  if (missing)
    throw new QueryRefused('query_invalid', `the query names the parameter $${missing.value}, which was not given`);
  const isEmptyList = (name: string) => Array.isArray(parameters[name]) && (parameters[name] as unknown[]).length === 0;
  for (const { value } of used) if (!isEmptyList(value)) refuseShapeless(value, parameters[value]);
  let text = query.text;
  for (const { value, start, text: piece } of used.toReversed()) {
    if (isEmptyList(value)) text = `${text.slice(0, start)}[]${text.slice(start + piece.length)}`;
  }
  const bound = Object.fromEntries(
    used.filter(({ value }) => !isEmptyList(value)).map(({ value }) => [value, parameters[value]]),
  );
  return { text, query: text === query.text ? query : readQueryText(text), parameters: bound as Parameters };
}

/** The library makes the whole answer before it gives the first row; so the limit goes into the text where it can. */
function limitedText(text: string, { lastReturn, limited }: QueryText, maxRows: number): string {
  return lastReturn === null || limited ? text : `${text}\nLIMIT ${maxRows + 1}`;
}

async function answerTo(
  reader: Connection,
  text: string,
  parameters: Parameters,
  maxRows: number,
  deadline: number,
): Promise<Answer> {
  const depth = await reader.query(`CALL var_length_extend_max_depth=${DEEPEST}`);
  lastOf(depth).close();
  const left = deadline - Date.now();
  if (left <= 0) throw new Error('Interrupted.');
  reader.setQueryTimeout(left);
  const prepared = await reader.prepare(text);
  if (!prepared.isSuccess()) throw new QueryRefused('query_invalid', prepared.getErrorMessage());
  if (!prepared.isReadOnly()) throw new QueryRefused('query_writes', 'queries only read: this one would write');
  const result = lastOf(await reader.execute(prepared, parameters));
  try {
    const columns = result.getColumnNamesSync();
    const types = result.getColumnDataTypesSync();
    const rows: Row[] = [];
    const size = new AnswerSize();
    while (rows.length < maxRows && result.hasNext()) {
      const row = result.getNextSync() as Row;
      size.add(row);
      rows.push(row);
      if (rows.length % ROWS_A_TURN === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    return { columns, types, rows, more: result.hasNext() };
  } finally {
    result.close();
  }
}

/**
 * The library rounds integers above 2^53, and times to milliseconds, on their way to JavaScript. Where an answer has some, the
 * query is asked once more with those columns as text.
 */
async function withoutRounding(
  reader: Connection,
  bound: Bound,
  answer: Answer,
  maxRows: number,
  deadline: number,
): Promise<Answer> {
  const { columns, types, rows } = answer;
  const times = columns.filter((_, n) => /^TIMESTAMP\w*$/.test(types[n] as string));
  const integers = columns.filter(
    (name, n) => /^U?INT64(\[\])*$/.test(types[n] as string) && rows.some((row) => isRounded(row[name])),
  );
  if (rows.length === 0 || (times.length === 0 && integers.length === 0)) return answer;
  const { lastReturn } = bound.query;
  const typeOf = (name: string) => types[columns.indexOf(name)] as string;
  const cast = (name: string) => {
    if (times.includes(name)) return `cast(\`${name}\` AS STRING) AS \`${name}\``;
    return integers.includes(name)
      ? `cast(\`${name}\` AS ${typeOf(name).replace(/U?INT64/, 'INT128')}) AS \`${name}\``
      : `\`${name}\``;
  };
  try {
    if (lastReturn === null) throw new QueryRefused('query_invalid', 'UNION');
    const inner = `${bound.text.slice(0, lastReturn)}WITH${bound.text.slice(lastReturn + 'RETURN'.length)}`;
    const text = `${limitedText(inner, bound.query, maxRows)}\nRETURN ${columns.map(cast).join(', ')}`;
    const exact = await answerTo(reader, text, bound.parameters, maxRows, deadline);
    for (const row of exact.rows) for (const name of times) row[name] = timeOfText(row[name]);
    return exact;
  } catch (error) {
    const refusal = refusalOf(error, deadline - Date.now());
    // A text that cannot be asked so is one thing; time or memory that ran out says nothing about the columns.
    if (!(refusal instanceof QueryRefused) || refusal.code !== 'query_invalid') throw error;
    if (integers.length === 0) return answer;
    throw new QueryRefused(
      'query_invalid',
      `${integers.join(', ')} holds integers above 2^53, which cannot be given exactly: return them as cast(… AS STRING)`,
      { cause: error },
    );
  }
}

function refusalOf(error: unknown, timeoutMs: number): unknown {
  if (!(error instanceof Error) || error instanceof QueryRefused || error.name === 'GraphFault') return error;
  if (/^Interrupted/.test(error.message)) return tooLong(timeoutMs, { cause: error });
  if (/Unable to allocate memory|buffer pool is full/i.test(error.message)) {
    return new QueryRefused(
      'query_unbounded',
      'the query needs more memory than one query gets: bound its paths (SHORTEST, fewer hops), or return less',
      { cause: error },
    );
  }
  return new QueryRefused('query_invalid', error.message, { cause: error });
}

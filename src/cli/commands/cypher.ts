import type { Command } from 'commander';
import type { NamedQuery, QueryResult } from '../../../lineage/index.ts';
import { cypherTarget } from '../cypher-target.ts';
import { usage } from '../failure.ts';
import { type LocalOptions, uuid, wholeNumber, withLocal } from '../options.ts';
import { print } from '../output.ts';
import { withProgress } from '../render/progress.ts';
import { renderQueries, renderResult } from '../render/query.ts';
import type { Session } from '../session.ts';

interface CypherOptions extends LocalOptions {
  list?: boolean;
  param: Record<string, string>;
  tenant?: string;
  depth?: number;
  timeout: number;
}

export function registerCypher(program: Command, session: Session): void {
  withLocal(program.command('cypher'))
    .description('ask the graph that mirrors the lineage: a named query, or Cypher of your own; read-only')
    .argument('[query]', 'name of a query (--list shows them), or Cypher')
    .option('--list', 'the named queries and their parameters')
    .option('--param <k=v>', 'a parameter; in a text of your own JSON is taken as that', parameter, {})
    .option('--tenant <id>', 'tenant the query is about, $tenant_id (default: the default tenant of the stack)', uuid)
    .option('--depth <n>', 'links to follow at most, 0 to 64 (default: 20)', wholeNumber(0, 64))
    .option('--timeout <s>', 'seconds until the query is ended', wholeNumber(1, 600), 30)
    .action(async (query: string | undefined, options: CypherOptions) => {
      const { terminal } = session;
      const { namedQueries } = await import('../../../lineage/index.ts');
      if (options.list) {
        const document = namedQueries.map(described);
        return print(terminal, options.json, document, () => renderQueries(document, terminal.colour));
      }
      if (query === undefined) throw usage('a query is wanted', 'outcome-ledger cypher --list shows the named ones');
      const target = await cypherTarget(options);
      const what = isName(query)
        ? { name: query, parameters: options.param }
        : { text: query, parameters: typed(options.param) };
      const request = {
        ...what,
        tenantId: target.tenantId,
        depth: options.depth,
        timeoutMs: options.timeout * 1000,
      };
      const bar = { watched: terminal.watched, total: 1 };
      const result: QueryResult = await withProgress('asking the graph', bar, () => target.ask(request));
      print(terminal, options.json, result, () => renderResult(result, terminal.colour));
    });
}

/** Cypher has spaces or brackets in it. */
function isName(query: string): boolean {
  return /^[A-Za-z][\w-]*$/.test(query);
}

function described({ name, summary, parameters, columns }: NamedQuery) {
  return { name, summary, parameters, columns };
}

function parameter(text: string, before: Record<string, string>): Record<string, string> {
  const at = text.indexOf('=');
  if (at < 1) throw usage(`'${text}' is no parameter`, 'write --param name=value');
  const name = text.slice(0, at);
  if (Object.hasOwn(before, name)) throw usage(`--param ${name} is given twice`, 'give each parameter once');
  return { ...before, [name]: text.slice(at + 1) };
}

/** A text of one's own declares no types: a value that is JSON is taken as that. */
function typed(parameters: Record<string, string>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(parameters).map(([name, text]) => [name, jsonOrText(name, text)]));
}

function jsonOrText(name: string, text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return text;
  }
  if (isExact(value)) return value;
  throw usage(
    `--param ${name} holds a number that would be rounded: ${text.slice(0, 60)}`,
    `whole numbers go to ±${Number.MAX_SAFE_INTEGER}; give a larger one as text in quotes, and cast it in the query`,
  );
}

function isExact(value: unknown): boolean {
  if (typeof value === 'number') return Number.isInteger(value) ? Number.isSafeInteger(value) : Number.isFinite(value);
  return typeof value !== 'object' || value === null || Object.values(value).every(isExact);
}

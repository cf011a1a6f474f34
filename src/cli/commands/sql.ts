import type { Command } from 'commander';
import { runChild } from '../child.ts';
import { refusedByDatabase, withDatabase } from '../database.ts';
import { findProgram } from '../find-program.ts';
import { quote } from '../first-steps.ts';
import { requireLocal } from '../ledger.ts';
import { databaseUrlOf, databaseUrlOption, dataDirOf, type LocalOptions, withLocal } from '../options.ts';
import { print } from '../output.ts';
import { renderTable } from '../render/table.ts';
import type { Session } from '../session.ts';

interface SqlOptions extends LocalOptions {
  command?: string;
  databaseUrl?: string;
}

export function registerSql(program: Command, session: Session): void {
  withLocal(program.command('sql'))
    .description('SQL as the auditor: psql on a terminal, or one query with -c; read-only')
    .option('-c, --command <query>', 'run this query and print its rows')
    .addOption(databaseUrlOption("an auditor's own connection"))
    .action(async (options: SqlOptions) => {
      const url = await auditorUrl(options);
      if (options.command !== undefined) return printRows(session, options, url, options.command);
      const psql = findProgram('psql');
      if (psql !== null && session.terminal.interactive && !options.json) {
        session.exit = await openPsql(psql, url);
        return;
      }
      const document = { auditor_url: url, command: `psql ${quote(url)}` };
      print(session.terminal, options.json, document, () => document.command);
    });
}

/** The password goes by environment: arguments are readable by everyone on the machine. */
function openPsql(psql: string, url: string): Promise<number> {
  const readOnly = `${process.env['PGOPTIONS'] ?? ''} -c default_transaction_read_only=on`.trim();
  const env: NodeJS.ProcessEnv = { ...process.env, PGOPTIONS: readOnly };
  if (!URL.canParse(url)) return runChild(psql, [url], { env });
  const bare = new URL(url);
  if (bare.password !== '') env['PGPASSWORD'] = decodeURIComponent(bare.password);
  bare.password = '';
  return runChild(psql, [bare.toString()], { env });
}

async function auditorUrl(options: SqlOptions): Promise<string> {
  const given = options.databaseUrl ?? (options.dataDir === undefined ? databaseUrlOf(undefined) : undefined);
  return given ?? (await requireLocal(dataDirOf(options))).auditorUrl;
}

async function printRows(session: Session, options: SqlOptions, url: string, query: string): Promise<void> {
  const { rows, columns } = await withDatabase(
    url,
    async (sql) => {
      const result = await sql.unsafe(query).catch((error) => {
        throw refusedByDatabase(error);
      });
      // Several statements answer with several results; the last one is shown, as psql -c does.
      const last = (Array.isArray(result[0]) && 'columns' in result[0] ? result.at(-1) : result) as unknown as Result;
      return { rows: [...last], columns: (last.columns ?? []).map((column) => column.name) };
    },
    { readOnly: true },
  );
  const { terminal } = session;
  print(terminal, options.json, { columns, rows }, () => {
    const shown = columns.map((name) => ({ title: name, value: (row: Row) => cell(row[name]) }));
    const count = terminal.colour.dim(`(${rows.length} ${rows.length === 1 ? 'row' : 'rows'})`);
    return rows.length === 0 ? count : `${renderTable(rows, shown, terminal.colour)}\n${count}`;
  });
}

type Row = Record<string, unknown>;
type Result = Row[] & { columns?: { name: string }[] };

function cell(value: unknown): unknown {
  return value instanceof Date ? value.toISOString() : value;
}

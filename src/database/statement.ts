// One call of an exposed SQL function, in the two spellings the wire needs: prepared with parameters, or one text with
// escaped literals for a transaction pooler (where a prepared statement may meet another server connection).

/** The types an exposed function's arguments have. */
type SqlType = 'jsonb' | 'uuid' | 'text' | 'integer';

/** One argument: its SQL type and its text form, or null. */
export interface Argument {
  readonly type: SqlType;
  readonly text: string | null;
}

/** `select public.<name>(…)`, ready for either spelling. */
export interface Statement {
  readonly text: string;
  readonly values: readonly (string | null)[];
}

/** A JSON document; `undefined` and `null` are SQL null. */
export function jsonb(value: unknown): Argument {
  return { type: 'jsonb', text: value === undefined || value === null ? null : JSON.stringify(value) };
}

export function uuid(value: string | null): Argument {
  return { type: 'uuid', text: value };
}

export function text(value: string | null): Argument {
  return { type: 'text', text: value };
}

export function integer(value: number | null): Argument {
  return { type: 'integer', text: value === null ? null : String(value) };
}

/**
 * `select public.<name>($1::…, …) as answer`.
 * Parameters travel as text and are cast by the server: the driver would otherwise serialise a document a second time.
 */
export function callOf(name: string, args: readonly Argument[]): Statement {
  const list = args.map((arg, index) => `$${index + 1}::text${arg.type === 'text' ? '' : `::${arg.type}`}`);
  return { text: `select public.${name}(${list.join(', ')}) as answer`, values: args.map((arg) => arg.text) };
}

const READ = /^select (?=public\.(?:(?:get|list|lineage)_|failure_rates\b))/;

/**
 * The call; a read only for a caller who is somebody. To an actor that was disabled row-level security shows nothing, and
 * to a reader "nothing" is an answer: no outcomes, no gaps. So a read is refused as the triggers refuse a write.
 */
export function forSomebody(statement: Statement): Statement {
  return { ...statement, text: statement.text.replace(READ, 'select ledger_internal.require_tenant(), ') };
}

/** The statement as one text, its parameters replaced by escaped literals. */
export function inline(statement: Statement): string {
  return statement.text.replace(/\$(\d+)/g, (_, index: string) => literal(statement.values[Number(index) - 1] ?? null));
}

/**
 * A string literal that reads the same whatever `standard_conforming_strings` says: a text with a backslash is always
 * spelled as an escape string. NUL cannot stand in a message of the simple protocol.
 */
export function literal(value: string | null): string {
  if (value === null) return 'null';
  if (value.includes('\0')) throw new RangeError('NUL cannot be sent to the database');
  const quoted = value.replaceAll("'", "''");
  return value.includes('\\') ? ` E'${quoted.replaceAll('\\', '\\\\')}'` : `'${quoted}'`;
}

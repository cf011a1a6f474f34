/** A SQL string literal; standard_conforming_strings is on, so a backslash stands for itself. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

export function textArray(items: readonly string[]): string {
  return `array[${items.map(literal).join(', ')}]`;
}

/** One line that a wide list stays readable in: joined by `separator` and a line break with `indent` spaces. */
export function lines(parts: readonly string[], separator: string, indent: number): string {
  return parts.join(`${separator}\n${' '.repeat(indent)}`);
}

interface SqlFunction {
  readonly name: string;
  readonly parameters: string;
  readonly returns: string;
  /** As `create function` writes them: `immutable parallel safe`. */
  readonly traits: string;
  readonly language?: 'sql' | 'plpgsql';
  readonly settings?: readonly string[];
  readonly comment: string;
  readonly body: string;
  /** Types alone, as `grant` and `comment on` want them. */
  readonly signature: string;
  readonly grantees: readonly string[];
}

/** `create or replace`, the comment, and rights given by name only. */
export function functionSql(fn: SqlFunction): string {
  const settings = ['set search_path = pg_catalog, pg_temp', ...(fn.settings ?? []).map((setting) => `set ${setting}`)];
  const name = `ledger_internal.${fn.name}`;
  return [
    `create or replace function ${name}(${fn.parameters}) returns ${fn.returns}`,
    `language ${fn.language ?? 'plpgsql'} ${fn.traits}`,
    ...settings,
    'as $body$',
    fn.body.trim(),
    '$body$;',
    `comment on function ${name}(${fn.signature}) is ${literal(fn.comment)};`,
    `revoke all on function ${name}(${fn.signature}) from public;`,
    ...(fn.grantees.length > 0
      ? [`grant execute on function ${name}(${fn.signature}) to ${fn.grantees.join(', ')};`]
      : []),
    '',
  ].join('\n');
}

export const CHECKERS = ['authenticated', 'service_role'] as const;
export const PURE = 'immutable parallel safe';

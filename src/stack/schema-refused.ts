import type { Migration } from './migration-files.ts';

/** A database that this version must not touch. `remedy` says what to do. */
export class SchemaRefused extends Error {
  readonly code: 'schema_outdated' | 'database_not_empty';
  readonly remedy: string;

  constructor(code: SchemaRefused['code'], message: string, remedy: string) {
    super(message);
    this.name = 'SchemaRefused';
    this.code = code;
    this.remedy = remedy;
  }

  static notEmpty(found: string[]): SchemaRefused {
    return new SchemaRefused(
      'database_not_empty',
      `The database is not empty and holds no ledger (found ${found.join(', ')}).`,
      'A ledger is a database of its own: name an empty one.',
    );
  }

  static outdated(found: string | null, expected: string | null): SchemaRefused {
    return new SchemaRefused(
      'schema_outdated',
      `The database holds the schema ${found ?? 'of an unfinished ledger'}, this version needs ${expected ?? 'another'}.`,
      'Use the version of outcome-ledger that made it, or start on a new data directory or database: until 1.0 chapters are edited in place.',
    );
  }
}

/** A migration that the database refused; nothing of it was kept. */
export class MigrationFailed extends Error {
  constructor(migration: Migration, cause: unknown) {
    const { message, position, where } = cause as { message?: string; position?: string; where?: string };
    const line = position ? `:${migration.text.slice(0, Number(position)).split('\n').length}` : '';
    super(`supabase/migrations/${migration.file}${line}: ${message ?? String(cause)}${where ? ` (${where})` : ''}`, {
      cause,
    });
    this.name = 'MigrationFailed';
  }
}

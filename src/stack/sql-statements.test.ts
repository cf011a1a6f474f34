import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readMigrations } from './migration-files.ts';
import { packageRoot } from './package-root.ts';
import { splitStatements } from './sql-statements.ts';

describe('splitStatements', () => {
  it.each([
    ['two statements', 'select 1; select 2;', ['select 1', 'select 2']],
    ['the last one without a semicolon', 'select 1; select 2', ['select 1', 'select 2']],
    ['strings', "select 'a;b', 'it''s;', e'\\';' ; select 2", ["select 'a;b', 'it''s;', e'\\';'", 'select 2']],
    ['quoted names', 'select 1 as "a;""b"; select 2', ['select 1 as "a;""b"', 'select 2']],
    [
      'dollar quotes',
      'do $$ begin; end $$; do $x$ $$;$$ $x$; select $1',
      ['do $$ begin; end $$', 'do $x$ $$;$$ $x$', 'select $1'],
    ],
    ['names with dollars', 'select a$b$ ; select c$b$', ['select a$b$', 'select c$b$']],
    ['line comments', '-- a;b\nselect 1; -- tail;\n', ['-- a;b\nselect 1']],
    ['nested block comments', '/* a; /* b; */ c; */ select 1; select 2', ['/* a; /* b; */ c; */ select 1', 'select 2']],
    [
      'parentheses',
      'create rule r as on insert to t do (a; b); select 2',
      ['create rule r as on insert to t do (a; b)', 'select 2'],
    ],
    [
      'atomic bodies',
      'create function f() returns int begin atomic select case when true then 1 end; select 2; end; select 3',
      ['create function f() returns int begin atomic select case when true then 1 end; select 2; end', 'select 3'],
    ],
    ['nothing', ' ;; -- only\n', []],
    ['an open quote', 'select $$ a; b', ['select $$ a; b']],
  ])('keeps %s whole', (_what, text, statements) => {
    expect(splitStatements(text)).toEqual(statements);
  });

  it('loses no word of the package’s own migrations', async () => {
    const words = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|--[^\n]*|[\s;]+/g, '');
    for (const { text, statements } of await readMigrations()) {
      expect(words(statements.join('\n'))).toBe(words(text));
      expect(statements.length).toBeGreaterThan(0);
    }
    const roles = await readFile(path.join(packageRoot(), 'src/stack/supabase-roles.sql'), 'utf8');
    expect(splitStatements(roles).filter((statement) => /^(--.*\n)*do \$\$/.test(statement.trim()))).not.toHaveLength(
      0,
    );
  });
});

import { expect, it } from 'vitest';
import { urlForRole } from './role-urls.ts';

it('names another role on the same server', () => {
  expect(urlForRole('postgres://postgres:secret@db.example:5432/ledger?sslmode=require', 'ledger_gateway', 'p/w')).toBe(
    'postgres://ledger_gateway:p%2Fw@db.example:5432/ledger?sslmode=require',
  );
});

it('keeps the project that a pooler’s login carries', () => {
  const url = urlForRole('postgresql://postgres.abcdef:x@pooler.example:5432/postgres', 'ledger_gateway', 'pw');
  expect(url).toBe('postgresql://ledger_gateway.abcdef:pw@pooler.example:5432/postgres');
});

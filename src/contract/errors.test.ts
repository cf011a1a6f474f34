import { readFile } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { ERROR_CODES, ERRORS, errorPage, isErrorCode } from './errors.ts';

it('gives every code a status, and words that end as sentences do', () => {
  for (const code of ERROR_CODES) {
    const { status, title, detail, remedy } = ERRORS[code];
    expect(code).toMatch(/^[a-z][a-z_]+$/);
    expect(status).toBeGreaterThanOrEqual(400);
    expect(title).not.toMatch(/\.$/);
    expect(detail).toMatch(/\.$/);
    expect(remedy).toMatch(/\.$/);
  }
});

it('knows its own codes only', () => {
  expect(isErrorCode('outcome_conflict')).toBe(true);
  expect(isErrorCode('constructor')).toBe(false);
});

it('has a section of the documentation for every code', async () => {
  const page = await readFile('docs/errors.md', 'utf8');
  for (const code of ERROR_CODES) {
    expect(errorPage(code)).toBe(`docs/errors.md#${code}`);
    expect(page).toContain(`\n## ${code}\n`);
  }
});

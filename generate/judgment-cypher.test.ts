import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { judgmentClauses, judgmentTexts, withJudgment } from './judgment-cypher.ts';

const ROOT = join(import.meta.dirname, '..');
const [BEGIN, END] = ['// The judgment of outcome (from a test):', '// End of the judgment.'];

describe('a text with a judgment', () => {
  it('stands on disk as it would be written now', async () => {
    const texts = await judgmentTexts();
    expect(texts.length).toBeGreaterThan(3);
    for (const { path, text } of texts) expect(await readFile(join(ROOT, path), 'utf8'), path).toBe(text);
  });

  it('is written anew between its marks, wherever they stand, and nowhere else', () => {
    const text = (indent: string, clauses: string) =>
      ['MATCH (outcome)', indent + BEGIN, clauses, indent + END, 'RETURN judgment', ''].join('\n');
    const stale = text('  ', "  WITH outcome, 'verified' AS judgment");
    const clauses = judgmentClauses('neo4j').split('\n');
    const fresh = text('  ', clauses.map((line) => `  ${line}`).join('\n'));
    expect(withJudgment('a file', stale, 'neo4j')).toBe(fresh);
    expect(withJudgment('a file', fresh, 'neo4j')).toBe(fresh);
    expect(withJudgment('a file', stale + stale, 'neo4j')).toBe(fresh + fresh);
  });

  it('has marks', () => {
    expect(() => withJudgment('a file', 'RETURN 1', 'neo4j')).toThrow(/a file has no marks/);
    expect(() => withJudgment('a file', `${BEGIN}\nRETURN 1`, 'neo4j')).toThrow(/a file has no marks/);
  });

  it('stands in the writing of the texts around it, and leaves words in quotes alone', () => {
    const clauses = judgmentClauses('embedded');
    expect(clauses).toMatch(/^WITH DISTINCT outcome\nWITH outcome, coalesce\(/);
    expect(clauses.replace(/'[^']*'/g, '')).not.toMatch(/\b(case|when|then|else|end|in|and|not)\b/);
    expect(clauses).toContain("WHEN verification IN ['failed'] THEN 'broken'");
  });
});

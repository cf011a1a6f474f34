import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { shippedFile } from './shipped-files.ts';

const root = mkdtempSync(join(tmpdir(), 'outcome-ledger-shipped-'));
afterEach(() => rmSync(root, { recursive: true, force: true }));

it('finds its files in the checkout, and from dist in the packed package', () => {
  expect(shippedFile('pom.xml')).toMatch(/lineage\/neo4j-local\/pom\.xml$/);

  const built = join(root, 'node_modules', 'outcome-ledger', 'dist', 'lineage', 'neo4j-local');
  const sources = join(root, 'node_modules', 'outcome-ledger', 'lineage', 'neo4j-local');
  for (const folder of [built, sources]) mkdirSync(folder, { recursive: true });
  expect(() => shippedFile('Neo4jLocal.java', built)).toThrow(/Neo4jLocal\.java of outcome-ledger is missing/);
  writeFileSync(join(sources, 'Neo4jLocal.java'), '');
  expect(shippedFile('Neo4jLocal.java', built)).toBe(join(sources, 'Neo4jLocal.java'));
});

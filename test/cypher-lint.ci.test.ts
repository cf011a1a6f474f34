// Neo4j's own linter over every Cypher text that auditors get: the named queries, and the queries of docs/cypher.md.
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { LINK_COLUMNS, namesOf, OUTCOME_COLUMNS } from '../lineage/graph/embedded/columns.ts';
import { namedQueries } from '../lineage/index.ts';
import { RELATIONS } from '../src/contract/relations.ts';
import { CYPHER_PARAMETERS } from './support/cypher-pages.ts';
import { blocksOf } from './support/docs-blocks.ts';
import { toolFile } from './support/tools.ts';

interface Linter {
  lintCypherQuery(
    text: string,
    schema: object,
  ): { diagnostics: { message: string; range: { start: { line: number } } }[] };
}
let linter: Linter;

beforeAll(async () => {
  const file = toolFile('@neo4j-cypher/language-support/dist/cjs/index.cjs');
  linter = (await import(pathToFileURL(file).href)) as Linter;
});

/** What the linter says, with what a mirror holds for its schema: a name that is not in it is a finding. */
function findings(text: string, parameters: readonly string[]): string[] {
  const { diagnostics } = linter.lintCypherQuery(text, {
    labels: ['Outcome', 'LedgerPosition'],
    relationshipTypes: Object.keys(RELATIONS).map((relation) => relation.toUpperCase().replaceAll('-', '_')),
    propertyKeys: [...namesOf(OUTCOME_COLUMNS), ...namesOf(LINK_COLUMNS)],
    parameters: Object.fromEntries(parameters.map((name) => [name, ''])),
  });
  return diagnostics.map(({ message, range }) => `${range.start.line + 1}: ${message}`);
}

test.each(namedQueries.map((query) => [query.name, query] as const))('%s.cypher', (_, query) => {
  expect(findings(query.text, ['tenant_id', ...query.parameters.map((parameter) => parameter.name)])).toEqual([]);
});

test.each(blocksOf('docs/cypher.md', 'cypher').map((block) => [block.line, block] as const))(
  'docs/cypher.md, line %i',
  (_, block) => {
    expect(findings(block.text, CYPHER_PARAMETERS)).toEqual([]);
  },
);

test('the linter finds what is wrong', () => {
  for (const [wrong, said] of [
    ['MATCH (o:Outcome) RETURN o.tenantid', /tenantid/],
    ['MATCH (o:Outcomes) RETURN o', /Outcomes/],
    ['MATCH (o:Outcome)-[:CAUSED]->(e) RETURN e', /CAUSED/],
    ['MATCH (o:Outcome {tenant_id: $tenant}) RETURN o', /\$tenant/],
    ['MATCH (o:Outcome) RETURN x', /`x`/],
    ['MATCH (o:Outcome RETURN o', /RETURN/],
  ] as const) {
    expect(findings(wrong, ['tenant_id']).join('\n')).toMatch(said);
  }
});

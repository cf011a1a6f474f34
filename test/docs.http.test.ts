// The pages tell the truth: their queries and commands are run, their tables compared with what they are tables of.
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import path from 'node:path';
import postgres, { type Sql } from 'postgres';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildProgram } from '../src/cli/program.ts';
import { processTerminal } from '../src/cli/terminal.ts';
import { GAPS } from '../src/contract/gaps.ts';
import { RELATIONS } from '../src/contract/relations.ts';
import { ROLE_MATRIX, ROLES, type Scope, WRITE_TABLES } from '../src/contract/roles.ts';
import { anchorsOf, blocksOf, page, ROOT, relativeLinks, tableUnder, withVariables } from './support/docs-blocks.ts';
import { type Story, tellStory } from './support/docs-story.ts';
import { useStack } from './support/stack.ts';

const stack = useStack();
let auditor: Sql;
let story: Story;
/** A tenant that the auditor is not mapped to; every name in it says `foreign`. */
const foreign = randomUUID();

beforeAll(async () => {
  auditor = postgres(stack.auditorUrl, { max: 1, onnotice: () => undefined });
  const { tenantId } = await stack.createTenant({ open: true });
  await stack.database.sql`insert into public.tenants (tenant_id, name, open) values (${foreign}, 'foreign', true)`;
  story = await tellStory(stack, tenantId, 'docs');
  await tellStory(stack, foreign, 'foreign');
});
afterAll(() => auditor?.end());

const PAGES = [
  'README.md',
  ...['sql', 'guarantees', 'policy', 'recovery', 'events', 'phase-outcomes', 'cypher', 'deploy', 'development'].map(
    (name) => `docs/${name}.md`,
  ),
];
const queries = ['docs/sql.md', 'docs/policy.md', 'docs/recovery.md', 'README.md'].flatMap((name) =>
  blocksOf(name, 'sql').map((block) => ({ name, ...block })),
);
const namesIn = (rows: string[][]) => rows.slice(1).map(([name = '']) => name.replaceAll('`', ''));

describe('queries, as the auditor', () => {
  test.each(queries)('$name, line $line', async ({ text, lead }) => {
    const rows = await auditor.unsafe(withVariables(text, story));
    // Other tests of the run hold the feed of the one server back.
    if (text.includes('held_back_by')) expect(lead).toContain('No rows is good');
    else if (lead.includes('No rows is good')) expect([...rows]).toEqual([]);
    else expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain('foreign');
  });

  test('what holds the feed back is named', async () => {
    const [block] = queries.filter(({ text }) => text.includes('held_back_by'));
    const holder = await stack.database.sql.reserve();
    try {
      await holder`begin`;
      const [held] = await holder<{ pid: number }[]>`select pg_current_xact_id(), pg_backend_pid() as pid`;
      await expect
        .poll(async () => (await auditor.unsafe(block?.text ?? '')).map((row) => row['pid']), { timeout: 10_000 })
        .toContain(held?.pid);
    } finally {
      await holder`rollback`;
      holder.release();
    }
  });

  test('a failure finds its root, and what had gone wrong before a partial outcome', async () => {
    const [roots, before] = queries.filter(({ heading }) => heading === 'Failures');
    const [failure] = await auditor.unsafe(withVariables(roots?.text ?? '', story));
    expect(failure).toMatchObject({ root_outcome: story.guard_outcome_id, root_event: 'art.order' });
    const causes = await auditor.unsafe(withVariables(before?.text ?? '', story));
    expect(causes).toContainEqual(
      expect.objectContaining({ outcome_id: story.outcome_id, cause_code: 'INVENTORY_LOCKED' }),
    );
  });

  test('write nothing, and read no other tenant by a claim of their own', async () => {
    const writes = ['update public.tenants set open = true', 'delete from public.os_events', 'truncate public.epochs'];
    for (const write of writes) await expect(auditor.unsafe(write)).rejects.toMatchObject({ code: '42501' });
    const claims = JSON.stringify({
      app_metadata: { tenant_id: foreign, ledger_role: 'auditor', actor_id: 'mallory' },
    });
    for (const { text } of queries) {
      const rows = await auditor
        .begin(async (tx) => {
          await tx`select set_config('request.jwt.claims', ${claims}, true)`;
          return tx.unsafe(withVariables(text, story));
        })
        .catch((error: { message: string }) => error.message);
      expect(JSON.stringify(rows), text).not.toContain('foreign');
    }
  });
});

describe('docs/sql.md', () => {
  test('tells of every table and no other', async () => {
    const tables = await stack.database.sql<{ name: string }[]>`
      select relname::text as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'`;
    expect(namesIn(tableUnder('docs/sql.md', 'Tables')).sort()).toEqual(tables.map(({ name }) => name).sort());
  });

  test('tells of every relation and every gap', () => {
    expect(namesIn(tableUnder('docs/sql.md', 'Relations'))).toEqual(Object.keys(RELATIONS));
    expect(namesIn(tableUnder('docs/sql.md', 'What is missing'))).toEqual([...GAPS]);
  });
});

test('docs/guarantees.md holds the role matrix', () => {
  const words: Record<Scope, string> = {
    any: 'any',
    own_source: 'own source',
    own_subject: 'own subject',
    others_source: "others' source",
    own_subject_of_others: "own subject, others' source",
    none: '–',
  };
  const rows = WRITE_TABLES.map((table) => [`\`${table}\``, ...ROLES.map((role) => words[ROLE_MATRIX[role][table]])]);
  expect(tableUnder('docs/guarantees.md', 'Who may write what')).toEqual([['table', ...ROLES], ...rows]);
});

describe('docs/deploy.md', () => {
  test('its statements run as the owner, and the auditor it makes reads its tenant', async () => {
    const login = `anna_${randomUUID().slice(0, 8)}`;
    const statements = blocksOf('docs/deploy.md', 'sql').map(({ text }) => text.replaceAll('anna', login));
    const { sql } = stack.database;
    const parting = statements.findIndex((text) => text.includes('drop role'));
    try {
      for (const text of statements.filter((_, index) => index !== parting)) await sql.unsafe(text);
      await sql.unsafe(`alter role ${login} password 'only for this test'`);
      const url = new URL(stack.auditorUrl);
      url.username = login;
      url.password = encodeURIComponent('only for this test');
      const anna = postgres(url.href, { max: 1 });
      try {
        expect([...(await anna`select name from public.tenants`)]).toEqual([{ name: 'acme' }]);
      } finally {
        await anna.end();
      }
    } finally {
      await sql.unsafe(statements[parting] ?? '');
    }
    expect([...(await sql`select from pg_roles where rolname = ${login}`)]).toEqual([]);
  });

  test('tells of every variable that the functions read', () => {
    const read = [...page('functions/_shared/config.ts').matchAll(/'(LEDGER_\w+)'/g)].map((match) => match[1]);
    expect(namesIn(tableUnder('docs/deploy.md', 'Step by step')).sort()).toEqual([...new Set(read)].sort());
  });
});

describe.each(PAGES)('%s', (name) => {
  test('names files and places that are there', () => {
    const lost = relativeLinks(name).filter(
      ({ target, anchor }) =>
        !existsSync(path.join(ROOT, target)) || (anchor !== '' && !anchorsOf(target).includes(anchor)),
    );
    expect(lost).toEqual([]);
  });

  test('names commands and scripts that there are', () => {
    const text = page(name);
    const program = buildProgram({ terminal: processTerminal(), exit: 0 });
    for (const [, first, second] of text.matchAll(/(?<![\w/.-])outcome-ledger (?!command\b)([a-z]+)(?: ([a-z]+))?/g)) {
      const command = program.commands.find((one) => one.name() === first);
      expect(command?.name(), `outcome-ledger ${first}`).toBe(first);
      if (!command?.commands.length) continue;
      const names = command.commands.map((one) => one.name());
      expect(names, `outcome-ledger ${first}`).toContain(second);
    }
    const { scripts } = JSON.parse(page('package.json')) as { scripts: Record<string, string> };
    for (const [, script = ''] of text.matchAll(/npm run ([a-z]+)/g)) expect(Object.keys(scripts)).toContain(script);
  });
});

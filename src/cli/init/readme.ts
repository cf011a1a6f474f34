import { FUNCTIONS } from '../status-document.ts';

/** README of the deployable folder: the commands in the order in which they are run. */
export function deployReadme(version: string): string {
  return `# Outcome Ledger on your Supabase project

Written by \`outcome-ledger init\` ${version}. A ledger is a Supabase project of its own; nothing of your application lives here.
The commands want the \`outcome-ledger\` that wrote this folder on the PATH.

\`\`\`sh
git init                                       # the functions' imports are uploaded up to the git root
npx supabase link --project-ref YOUR_REF
npx supabase db push                           # tables, policies, triggers, SQL functions

# the functions' own login; the URL it prints is LEDGER_DATABASE_URL
outcome-ledger roles password ledger_gateway --database-url 'postgres://postgres:…@…:5432/postgres'
npx supabase secrets set LEDGER_DATABASE_URL='postgres://ledger_gateway:…@…:5432/postgres?sslmode=require'

${FUNCTIONS.map((name) => `npx supabase functions deploy ${name} --use-api`).join('\n')}

outcome-ledger doctor --database-url 'postgres://postgres:…@…:5432/postgres' --url https://YOUR_REF.supabase.co
\`\`\`

In the dashboard: *Data API* exposes the schema \`public\` alone, never \`ledger_internal\`; *JWT keys* has an asymmetric
signing key (ES256 or RS256).

Tokens are those of Supabase Auth, with \`app_metadata\` \`{"tenant_id": "…", "ledger_role": "…", "actor_id": "…"}\`.
Make a tenant with \`insert into public.tenants (tenant_id, name) values (gen_random_uuid(), 'acme') returning tenant_id;\`.
It is a closed one, as production should be: sources without a definition are refused. \`open\` = true takes them, and \`gaps\` lists them.
Then \`outcome-ledger actor create ACTOR_ID --role ROLE\` makes who may call, and \`actor disable\` refuses one at once.

| folder | what |
| --- | --- |
| \`supabase/\` | \`config.toml\` and the migrations |
| \`functions/\` | one folder per edge function, each with its \`deno.json\` |
| \`src/\` | what the functions import: the contract and the database gateway |

After an upgrade run \`outcome-ledger init . --force\`, look at the difference, push and deploy again.
`;
}

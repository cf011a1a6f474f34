import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { documentChecksSql } from './documents-sql.ts';
import { errorDocs } from './errors-docs.ts';
import { fingerprintFiles } from './fingerprint.ts';
import type { GeneratedFile } from './generated-file.ts';
import { judgmentTexts } from './judgment-cypher.ts';
import { judgmentsChapter } from './judgments-chapter.ts';
import { judgmentsDocs } from './judgments-docs.ts';
import { openapiFiles } from './openapi.ts';
import { refusalsSql } from './refusals-sql.ts';
import { rowPoliciesSql } from './row-policies.ts';

const ROOT = join(import.meta.dirname, '..');

async function current(path: string): Promise<string | undefined> {
  return readFile(join(ROOT, path), 'utf8').catch(() => undefined);
}

async function write({ path, text }: GeneratedFile): Promise<void> {
  await mkdir(dirname(join(ROOT, path)), { recursive: true });
  await writeFile(join(ROOT, path), text);
}

/** Writes what differs and returns its paths; with `checkOnly` it writes nothing. */
async function settle(files: readonly GeneratedFile[], checkOnly: boolean): Promise<string[]> {
  const stale: string[] = [];
  for (const file of files) {
    if ((await current(file.path)) === file.text) continue;
    stale.push(file.path);
    if (!checkOnly) await write(file);
  }
  return stale;
}

const checkOnly = process.argv.includes('--check');
const stale = [
  ...(await settle(
    [refusalsSql(), documentChecksSql(), rowPoliciesSql(), judgmentsChapter(), judgmentsDocs(), errorDocs()],
    checkOnly,
  )),
  ...(await settle(await judgmentTexts(), checkOnly)),
  ...(await settle(await openapiFiles(), checkOnly)),
  // Last, because it is a digest of all chapters as they now stand on disk.
  ...(await settle(fingerprintFiles(), checkOnly)),
];

for (const path of stale) console.log(checkOnly ? `stale: ${path}` : `written: ${path}`);
if (checkOnly && stale.length > 0) {
  console.error('Run `npm run generate` and commit the result.');
  process.exitCode = 1;
}

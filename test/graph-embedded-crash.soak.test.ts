// The embedded graph through more kills than the db tier has time for.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, it } from 'vitest';
import { throughKills } from './support/graph-embedded-kills.ts';
import { buildWriter, type WriterScript } from './support/graph-embedded-process.ts';

const folder = mkdtempSync(join(tmpdir(), 'outcome-ledger-graph-crash-'));
let writer: WriterScript;
beforeAll(async () => {
  writer = await buildWriter();
});
afterAll(() => {
  writer?.remove();
  rmSync(folder, { recursive: true, force: true });
});

const seed = 4_111;

it(`a writer killed 20 times at random moments (seed ${seed})`, { timeout: 300_000 }, async () => {
  await throughKills(writer, join(folder, 'killed'), seed, 20);
});

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { embeddedSource } from '../lineage/index.ts';
import { describeTwins } from './support/cypher-twins-suite.ts';

describeTwins('the embedded graph', { seeds: [41], headings: ['Ready queries', 'Judgments'] }, async () => {
  const folder = await mkdtemp(join(tmpdir(), 'outcome-ledger-twins-'));
  return {
    source: embeddedSource({ directory: join(folder, 'graph') }),
    stop: () => rm(folder, { recursive: true, force: true }),
  };
});

import { defineConfig } from 'vitest/config';

// `npm test` runs the unit tests beside the code and the `.db` and `.http` tiers of `test/`;
// the heavier tiers (`.ci`, `.deno`, `.neo4j`, `.soak`, `.chaos`, `.scale`) run from `.ci/run` with OUTCOME_LEDGER_TIERS.
const tiers = process.env['OUTCOME_LEDGER_TIERS']?.split(',').map((tier) => `test/**/*.${tier}.test.ts`);
// CI counts what ran from this report.
const report = process.env['OUTCOME_LEDGER_REPORT'];

export default defineConfig({
  test: {
    reporters: report ? ['default', ['json', { outputFile: report }]] : ['default'],
    include: tiers ?? [
      'src/**/*.test.ts',
      'functions/**/*.test.ts',
      'generate/**/*.test.ts',
      'lineage/**/*.test.ts',
      'test/**/*.{db,http}.test.ts',
    ],
    globalSetup: './test/support/global-setup.ts',
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});

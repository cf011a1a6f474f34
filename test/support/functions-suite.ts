// The functions' HTTP suite, run in a vitest of its own against functions that Deno serves from a folder.
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROOT, run } from './tools.ts';

/** Counts of a suite, and each failure as `file: test` with its first message. */
export interface SuiteResult {
  passed: number;
  failures: string[];
}

interface VitestReport {
  numPassedTests: number;
  numTotalTests: number;
  testResults: {
    name: string;
    status: string;
    message: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
  }[];
}

/**
 * Runs every `test/functions*.http.test.ts` with `OUTCOME_LEDGER_FUNCTIONS_ROOT` naming the folder whose functions
 * `useStack` serves on Deno instead of in its own process.
 */
export async function runFunctionsSuite(options: { root: string; report: string }): Promise<SuiteResult> {
  const reports = process.env['OUTCOME_LEDGER_REPORTS'] ?? mkdtempSync(join(tmpdir(), 'ledger-reports-'));
  const report = join(reports, `${options.report}.json`);
  // The report's place is said as the configuration reads it: this run may itself stand in a run that reports.
  const env = {
    OUTCOME_LEDGER_FUNCTIONS_ROOT: options.root,
    OUTCOME_LEDGER_TIERS: 'http',
    OUTCOME_LEDGER_REPORT: report,
  };
  const args = ['vitest', 'run', 'test/functions', '--no-file-parallelism'];
  const ran = await run('npx', args, { cwd: ROOT, env, timeoutMs: 580_000 });
  let read: VitestReport;
  try {
    read = JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    return {
      passed: 0,
      failures: [`no report was written (exit ${ran.code}): ${ran.stdout.slice(-4000)} ${ran.stderr.slice(-4000)}`],
    };
  }
  const failures = read.testResults.flatMap((file) => {
    const failed = file.assertionResults.filter((one) => one.status === 'failed');
    if (file.status === 'failed' && failed.length === 0) return [`${file.name}: ${file.message}`];
    return failed.map((one) => `${file.name}: ${one.fullName}: ${one.failureMessages[0] ?? ''}`);
  });
  return { passed: read.numPassedTests, failures };
}

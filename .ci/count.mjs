// Sums the reports in a folder: vitest's JSON reports, and those that other runners wrote in the same shape.
// Prints "PASSED FAILED". A skipped test, a file that could not run and an unreadable report count as failed.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2];
let passed = 0;
let failed = 0;
for (const name of readdirSync(folder)) {
  try {
    const report = JSON.parse(readFileSync(join(folder, name), 'utf8'));
    const unrunnable = (report.testResults ?? []).filter(
      (file) => file.status === 'failed' && file.assertionResults.length === 0,
    );
    const skipped = (report.numPendingTests ?? 0) + (report.numTodoTests ?? 0);
    passed += report.numPassedTests;
    failed += report.numFailedTests + unrunnable.length + skipped;
    if (skipped) console.error(`${name}: ${skipped} tests were skipped`);
  } catch (error) {
    failed += 1;
    console.error(`${name}: ${error}`);
  }
}
console.log(passed, failed);

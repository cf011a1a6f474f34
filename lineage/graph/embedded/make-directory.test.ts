import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openingFault } from './faults.ts';
import { makeDirectory } from './make-directory.ts';

test.runIf(existsSync('/proc/self'))('where nothing can be made, it says so instead of trying for ever', () => {
  let fault: unknown;
  try {
    makeDirectory('/proc/outcome-ledger/graph');
  } catch (error) {
    fault = openingFault(error, '/proc/outcome-ledger/graph');
  }
  expect(fault).toMatchObject({ code: 'graph_files' });
});

import { expect, test } from 'vitest';
import { normalPath } from './path.ts';

test.each([
  ['/outcomes', '/outcomes'],
  ['/outcomes/', '/outcomes'],
  ['//outcomes//x///', '/outcomes/x'],
  ['/functions/v1/outcomes/x', '/outcomes/x'],
  ['//functions//v1//outcomes/', '/outcomes'],
  ['/lineage/correlations/a%2F%2Fb', '/lineage/correlations/a%2F%2Fb'],
  ['/', '/'],
])('%s is %s', (given, expected) => {
  expect(normalPath(given)).toBe(expected);
});

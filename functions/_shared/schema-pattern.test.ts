import { expect, test } from 'vitest';
import { repeatsChoice } from './schema-pattern.ts';

test.each([
  ['(a+)+', true],
  ['(?:a*b?)*c', true],
  ['((a+))*', true],
  ['(a{1,})+', true],
  ['^(a|a)*$', true],
  ['(?:(?:a|b))+', true],
  ['(a|a){30}', true],
  ['(a{1,3}){30}', true],
  ['(a?){30}', true],
  ['(?<name>x|y)*', true],
  ['(a|b)', false],
  ['(a|b)?', false],
  ['(?:-[0-9a-f]{4}){3}', false],
  ['(?:ab)+(?=c|d)', false],
  ['([+*|])+', false],
  ['(ab)+', false],
  ['(\\+\\|)+', false],
  ['^[a-z]+-[0-9]+$', false],
])('%s repeats a choice: %s', (pattern, expected) => {
  expect(repeatsChoice(pattern)).toBe(expected);
});

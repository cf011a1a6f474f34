import { expect, test } from 'vitest';
import { QueryRefused } from '../fault.ts';
import { refuseGrowth } from './query-growth.ts';
import { tokensOf } from './query-tokens.ts';

const codeOf = (text: string, parameters = {}) => {
  try {
    refuseGrowth(tokensOf(text), parameters);
    return 'taken';
  } catch (error) {
    return error instanceof QueryRefused ? error.code : error;
  }
};

test.each<[string, Record<string, unknown>?]>([
  ['unwind range(1,30000000) as a return sum(a)'],
  ['unwind `range`(1, 30000000) as a return sum(a)'],
  ['return range/* */(1, 30000000)'],
  ['return range(30000000, 1, -1)'],
  ['return range(-9000, 9000)'],
  ['with 30000000 as n unwind range(1, n) as a return sum(a)'],
  ['return range(1, 1 + 30000000)'],
  ['return range(1, $n)', { n: 30_000_000 }],
  ['return range(1, $n)', { n: '5' }],
  ['return list_transform(range(1, 9999), x -> range(1, 9999))'],
  ["return repeat('x', 300000000)"],
  ["return rpad('x', size('xx'), 'y')"],
  ['return list_reduce([[1]], (x, y) -> list_concat(x, x))'],
  ['unwind [1,2] as a unwind [1,2] as b unwind [1,2] as c unwind [1,2] as d return d'],
])('%s is refused', (text, parameters = {}) => {
  expect(codeOf(text, parameters)).toBe('query_unbounded');
});

test.each<[string, Record<string, unknown>?]>([
  ['unwind range(1, 10000) as a return sum(a)'],
  ['return range(10, 1, -1), range(1, $n)', { n: 20 }],
  ["return repeat('x', 10), lpad('x', 20, 'y')"],
  ['match (o:Outcome) return o.range, o.repeat'],
])('%s is taken', (text, parameters = {}) => {
  expect(codeOf(text, parameters)).toBe('taken');
});

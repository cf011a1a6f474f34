import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decimalText, isLong, numberOfDecimal, tenThousandths } from './numbers.ts';

describe('decimalText', () => {
  it.each([
    [0, '0.0'],
    [-0, '0.0'],
    [1, '1.0'],
    [0.35, '0.35'],
    [-0.0001, '-0.0001'],
    [1e15, undefined],
    [922337203685477, '922337203685477.0'],
    [922337203685478, undefined],
    [-922337203685477, '-922337203685477.0'],
    [0.12345, undefined],
    [1e-5, undefined],
    [1e-7, undefined],
    [0.1 + 0.2, undefined],
    [1e21, undefined],
    [Number.NaN, undefined],
    [Number.POSITIVE_INFINITY, undefined],
  ])('%d is %s', (value, text) => {
    expect(decimalText(value)).toBe(text);
  });

  it('gives every number of up to four decimals back', () => {
    fc.assert(
      fc.property(fc.integer({ min: -1e13, max: 1e13 }), fc.integer({ min: 0, max: 4 }), (digits, decimals) => {
        const value = digits / 10 ** decimals;
        const text = decimalText(value);
        expect(text).toMatch(/^-?[0-9]+\.[0-9]{1,4}$/);
        expect(numberOfDecimal(text ?? '')).toBe(value === 0 ? 0 : value);
      }),
      { seed: 20261130 },
    );
  });

  it('never gives another number back', () => {
    fc.assert(
      fc.property(fc.double(), (value) => {
        const text = decimalText(value);
        if (text !== undefined) expect(numberOfDecimal(text)).toBe(value === 0 ? 0 : value);
      }),
      { seed: 20261130 },
    );
  });
});

it.each([
  [0, true],
  [2 ** 53, true],
  [2 ** 62, true],
  [2 ** 63 - 1024, true],
  [2 ** 63, false],
  [-(2 ** 62), true],
  // The shortest form of -(2^63), which is what Cedar gets, is 192 below it.
  [-(2 ** 63), false],
  [1e21, false],
  [0.5, false],
  [Number.NaN, false],
])('%d as a Long: %s', (value, expected) => {
  expect(isLong(value)).toBe(expected);
});

it.each([
  ['0.5', 0.5],
  ['-12.3450', -12.345],
  ['922337203685477.5', 922337203685477.5],
  ['922337203685477.5808', undefined],
  ['1', undefined],
  ['.5', undefined],
  ['1.', undefined],
  ['1.23456', undefined],
  ['1e3', undefined],
  [' 1.0', undefined],
  ['+1.0', undefined],
])('the decimal %j is %s', (text, value) => {
  expect(numberOfDecimal(text)).toBe(value);
});

it('scales scores to whole ten-thousandths, exactly', () => {
  for (let count = 0; count <= 10_000; count++) expect(tenThousandths(count / 10_000)).toBe(count);
  expect(tenThousandths(0.33333)).toBeUndefined();
});

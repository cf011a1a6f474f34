import { expect, it } from 'vitest';
import { refuseShapeless } from './parameter-shapes.ts';

it.each([
  [1],
  ['a'],
  [null],
  [[1, 2.5]],
  [['a', null]],
  [[null, true]],
  [[[1], [], [2]]],
  [{ a: 1, b: ['x'] }],
  [[{ a: 1 }, { a: 2 }]],
])('takes %j', (value) => {
  expect(() => refuseShapeless('x', value)).not.toThrow();
});

it.each([
  [[1, 'a'], /^\$x\[1\] is a text in a list that begins with a number, .*: give a list of one kind/],
  [[true, 1], /^\$x\[1\] is a number in a list that begins with true or false/],
  [[1, { a: 1 }], /^\$x\[1\] is a map in a list/],
  [[[1], ['a']], /^\$x\[1\] is a text in a list/],
  [[{ a: 1 }, { b: 2 }], /^\$x\[1\] has other members than the maps before it \(a\)/],
  [[{ a: 1 }, { a: 1, c: 2 }], /^\$x\[1\] has other members than the maps before it \(c\)/],
  [[{ a: 1 }, { a: 'b' }], /^\$x\[1\]\.a is a text in a list/],
  [[null, null], /^\$x has no element that is not null, .*: give one, or leave the list out/],
  [[[]], /^\$x\[…\] has no element/],
  [{}, /^\$x is a map without members/],
  [{ a: { b: null } }, /^\$x\.a\.b is null in a map/],
])('refuses %j with its place and what to do', (value, words) => {
  let refused: unknown;
  try {
    refuseShapeless('x', value);
  } catch (error) {
    refused = error;
  }
  expect(refused).toMatchObject({ name: 'QueryRefused', code: 'query_invalid', message: expect.stringMatching(words) });
});

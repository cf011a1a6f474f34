import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Places } from './place.ts';

const encoder = new TextEncoder();

describe('Places', () => {
  it.each([
    ['', 0, { line: 1, column: 1 }],
    ['abc', 0, { line: 1, column: 1 }],
    ['abc', 2, { line: 1, column: 3 }],
    ['abc', 3, { line: 1, column: 4 }],
    ['a\nb', 1, { line: 1, column: 2 }],
    ['a\nb', 2, { line: 2, column: 1 }],
    ['a\r\nb', 3, { line: 2, column: 1 }],
    ['\n\n\n', 2, { line: 3, column: 1 }],
    ['ab', 99, { line: 1, column: 3 }],
  ])('%j at byte %i, which is unit %i', (text, offset, place) => {
    expect(new Places(text).atByte(offset)).toEqual(place);
    expect(new Places(text).at(offset)).toEqual(place);
  });

  it('counts characters, not bytes and not UTF-16 units', () => {
    // ä takes two bytes, 😀 four and two units.
    const places = new Places('ä😀x\n😀ä!');
    expect(places.atByte(6)).toEqual({ line: 1, column: 3 });
    expect(places.at(3)).toEqual({ line: 1, column: 3 });
    expect(places.atByte(14)).toEqual({ line: 2, column: 3 });
    expect(places.at(8)).toEqual({ line: 2, column: 3 });
  });

  it('takes an offset inside a character as the character', () => {
    for (const inside of [1, 2, 3]) expect(new Places('😀x').atByte(inside)).toEqual({ line: 1, column: 1 });
  });

  it('finds the place of every character of any text', () => {
    const texts = fc.array(
      fc.oneof(fc.constantFrom('\n', '\r\n', 'ä', '😀', '\u2028', 'x'), fc.string({ unit: 'binary' })),
    );
    fc.assert(
      fc.property(texts, (parts) => {
        const characters = [...parts.join('')].filter((character) => !/[\ud800-\udfff]/u.test(character));
        const places = new Places(characters.join(''));
        let [line, column, bytes, units] = [1, 1, 0, 0];
        for (const character of characters) {
          expect(places.atByte(bytes)).toEqual({ line, column });
          expect(places.at(units)).toEqual({ line, column });
          bytes += encoder.encode(character).length;
          units += character.length;
          [line, column] = character === '\n' ? [line + 1, 1] : [line, column + 1];
        }
        expect(places.atByte(bytes)).toEqual({ line, column });
      }),
      { seed: 20261130 },
    );
  });
});

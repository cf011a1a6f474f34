import { expect, it } from 'vitest';
import { checkEnvelope } from './check.ts';
import { readStrictJson } from './json/strict-reader.ts';
import { sameContent } from './same-content.ts';

const read = (text: string) => {
  const strict = readStrictJson(text);
  return strict.ok ? strict.value : expect.fail(JSON.stringify(strict.violations));
};
const sent = `{"outcome_version":"1.0","status":"success","correlation_id":"c","causation_id":"e",
  "source":{"type":"agent","id":"a","version":"1.0.0","domain":"d"},"result":{"one":1,"zero":0,"list":[1,{"x":null}]},
  "timing":{"started_at":"2026-05-20T10:00:00Z","completed_at":"2026-05-20T10:00:01Z","duration_ms":1000}}`;

it('is the same after keys moved and numbers were spelled otherwise (B027)', () => {
  const again = `{"timing":{"duration_ms":1e3,"completed_at":"2026-05-20T10:00:01Z","started_at":"2026-05-20T10:00:00Z"},
    "result":{"list":[1.0,{"x":null}],"zero":-0,"one":1.00},"errors":null,"quality":null,
    "source":{"domain":"d","version":"1.0.0","id":"a","type":"agent"},"causation_id":"e","correlation_id":"c",
    "status":"success","outcome_version":"1.0"}`;
  expect(sameContent(read(sent), read(again))).toBe(true);
});

it('is the same in the stored form, its id left out', () => {
  const checked = checkEnvelope(read(sent));
  const stored = checked.ok ? { ...checked.envelope, outcome_id: '0b9cc0de-6c7e-4c39-9df5-9b1c61a3d0f1' } : {};
  expect(sameContent(read(sent), stored)).toBe(true);
});

it.each([
  ['a value', '"one":1', '"one":2'],
  ['a null that was absent, in a free object', '{"x":null}', '{}'],
  ['__proto__ in a free object', '"one":1', '"one":1,"__proto__":{}'],
  ['the order of a list', '[1,{"x":null}]', '[{"x":null},1]'],
  ['the spelling of a time', '10:00:01Z', '10:00:01.0Z'],
  ['a member of quality', '"status"', '"quality":{"confidence":1},"status"'],
])('is another with %s', (_, from, to) => {
  expect(sameContent(read(sent), read(sent.replace(from, to)))).toBe(false);
});

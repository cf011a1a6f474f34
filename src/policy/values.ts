import type { CedarValueJson } from '@cedar-policy/cedar-wasm/nodejs';
import { isPlainObject } from '../contract/scalars/kind.ts';
import { isEscape, readEscape, writtenDecimal } from './escapes.ts';
import { decimalText, isLong, tenThousandths } from './numbers.ts';
import { complain, countText, type Reading } from './reading.ts';
import type { Hint } from './schema-types.ts';

// JSON as Cedar values: members that are null are left out, objects are records, arrays sets, whole numbers Longs,
// fractions decimals, and any number a decimal where the schema says so.

type Cedar = CedarValueJson;

const DECIMAL: Hint = { kind: 'decimal' };
/** The most that a number, true, false or null takes as JSON, or the brackets of an object or array. */
const SCALAR_BYTES = 32;

const hintOf = (hint: Hint | undefined, name: string) => (hint?.kind === 'record' ? hint.members.get(name) : undefined);

export function readRecord(
  reading: Reading,
  value: Record<string, unknown>,
  hint: Hint | undefined,
): Record<string, Cedar> {
  const record: Record<string, Cedar> = {};
  for (const name of Object.keys(value)) {
    const member = value[name];
    countText(reading, name);
    reading.bytes += SCALAR_BYTES;
    if (member === undefined || member === null) continue;
    reading.path.push(name);
    put(record, name, readValue(reading, member, hintOf(hint, name)));
    reading.path.pop();
  }
  return record;
}

/** The context of a request; its `risk_score` is a decimal whatever its value, or ten-thousandths as a Long. */
export function readContext(
  reading: Reading,
  value: Record<string, unknown>,
  hint: Hint | undefined,
): Record<string, Cedar> {
  const record = readRecord(reading, value, hint);
  const score = scoreOf(value);
  if (score === null) return record;
  reading.path.push('risk_score');
  // It was read as any number before, so a score of too many decimals has its complaint.
  if (score < 0 || score > 1) complain(reading, 'score', 'must be a number from 0 to 1');
  else record['risk_score'] = readScore(score, hintOf(hint, 'risk_score')) ?? false;
  reading.path.pop();
  return record;
}

/** The `risk_score` of a context, written as a number or as a decimal; null when it has none. */
export function scoreOf(context: Record<string, unknown>): number | null {
  const value = context['risk_score'];
  return typeof value === 'number' ? value : (writtenDecimal(value) ?? null);
}

function readScore(score: number, hint: Hint | undefined): Cedar | undefined {
  if (hint?.kind === 'long') return tenThousandths(score);
  const arg = decimalText(score);
  return arg === undefined ? undefined : { __extn: { fn: 'decimal', arg } };
}

function readValue(reading: Reading, value: unknown, hint: Hint | undefined): Cedar {
  if (typeof value === 'string') {
    countText(reading, value);
    return value;
  }
  if (typeof value === 'number') return readNumber(reading, value, hint);
  if (typeof value === 'boolean') return value;
  if (Array.isArray(value)) return readSet(reading, value, hint?.kind === 'set' ? hint.element : undefined);
  if (!isPlainObject(value)) return complain(reading, 'null_in_set', 'must not be null: a set holds values only');
  if (!isEscape(value)) return readRecord(reading, value, hint);
  const read = readEscape(value);
  if (!read.ok) return complain(reading, 'cedar_escape', read.message);
  for (const text of read.texts) countText(reading, text);
  return read.value;
}

/** Beside a fraction all numbers are decimals, so that a set has one type. */
function readSet(reading: Reading, items: readonly unknown[], element: Hint | undefined): Cedar[] {
  const fractions = items.some((item) => typeof item === 'number' && !Number.isInteger(item));
  const hint = element ?? (fractions ? DECIMAL : undefined);
  reading.bytes += SCALAR_BYTES * items.length;
  return items.map((item, index) => {
    reading.path.push(index);
    const value = readValue(reading, item, hint);
    reading.path.pop();
    return value;
  });
}

function readNumber(reading: Reading, value: number, hint: Hint | undefined): Cedar {
  if (Number.isInteger(value) && hint?.kind !== 'decimal') {
    if (isLong(value)) return value;
    return complain(reading, 'long', 'must be a whole number of 64 bits; send a larger one as a string');
  }
  const arg = decimalText(value);
  if (arg !== undefined) return { __extn: { fn: 'decimal', arg } };
  return complain(
    reading,
    'decimal',
    'must have at most 4 decimals and lie within ±922337203685477.5807, because Cedar has no floating point: ' +
      'round it, or send it scaled, as a whole number (0.123456 as 123456 millionths)',
  );
}

/** An assignment to `__proto__` would change the prototype instead of making a member. */
function put(record: Record<string, Cedar>, name: string, value: Cedar): void {
  if (name !== '__proto__') record[name] = value;
  else Object.defineProperty(record, name, { value, enumerable: true, writable: true, configurable: true });
}

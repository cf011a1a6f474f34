import { isPlainObject } from './scalars/kind.ts';

// The layout is PostgreSQL's jsonb: a 4-byte header, per container a 4-byte count and a 4-byte entry for each element
// (two for each member), then the data; numbers and containers start on a multiple of 4. So a limit in stored bytes
// can be told before the database is asked, and both sides tell it alike.
const ENTRY = 4;
const encoder = new TextEncoder();

const align = (offset: number) => (offset + 3) & ~3;

/** Bytes of a numeric: its digits in base 10,000, trailing and leading zeros of that base not stored. */
function numericSize(value: number): number {
  const [mantissa = '0', exponentText = '0'] = Math.abs(value).toString().split('e');
  const [whole = '0', fraction = ''] = mantissa.split('.');
  const digits = (whole + fraction).replace(/^0+/, '');
  if (digits === '') return 4 + 2;
  const pointAt = digits.length - fraction.length + Number(exponentText);
  const padded = '0'.repeat(((-pointAt % 4) + 4) % 4) + digits;
  const significant = padded.replace(/0+$/, '');
  const weight = Math.ceil(pointAt / 4) - 1;
  const groups = Math.ceil(significant.length / 4);
  const decimals = Math.max(0, fraction.length - Number(exponentText));
  const short = decimals <= 63 && weight >= -64 && weight <= 63;
  return 4 + (short ? 2 : 4) + 2 * groups;
}

/** The offset after `value`, written at `offset`. */
function after(value: unknown, offset: number): number {
  if (typeof value === 'string') return offset + encoder.encode(value).length;
  if (typeof value === 'number') return align(offset) + numericSize(value);
  if (Array.isArray(value)) {
    let end = align(offset) + 4 + ENTRY * value.length;
    for (const item of value) end = after(item, end);
    return end;
  }
  if (!isPlainObject(value)) return offset;
  // jsonb keeps members by key length, then bytes; only the padding depends on the order.
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => ({ bytes: encoder.encode(key), member }))
    .sort((a, b) => a.bytes.length - b.bytes.length || compareBytes(a.bytes, b.bytes));
  let end = align(offset) + 4 + 2 * ENTRY * members.length;
  for (const { bytes } of members) end += bytes.length;
  for (const { member } of members) end = after(member, end);
  return end;
}

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  for (let i = 0; i < a.length; i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** How many bytes the value takes as jsonb (`pg_column_size` of it, uncompressed). */
export function storedSize(value: unknown): number {
  const isScalar = typeof value !== 'object' || value === null;
  return after(isScalar ? [value] : value, 4);
}

// Cedar has no floating point: whole numbers are 64-bit integers (Long), fractions are decimals of at most four digits.
// The value of a JSON number is that of its shortest form, which is what JSON.stringify hands to Cedar.

const MAX_LONG = 2n ** 63n - 1n;
const MIN_LONG = -(2n ** 63n);
/** A decimal counts ten-thousandths. */
const SCALE_DIGITS = 4;
const PLAIN = /^(-?)([0-9]+)(?:\.([0-9]{1,4}))?$/;

/** Is a whole number one that Cedar can hold? */
export function isLong(value: number): boolean {
  if (Number.isSafeInteger(value)) return true;
  const text = String(value);
  return Number.isInteger(value) && !text.includes('e') && inLong(BigInt(text));
}

/** Ten-thousandths of a number; undefined when it has more decimals, or is outside Cedar's range. */
function scaled(value: number): bigint | undefined {
  const [, sign, whole, fraction = ''] = PLAIN.exec(String(value)) ?? [];
  if (whole === undefined) return undefined;
  const digits = BigInt(`${sign}${whole}${fraction.padEnd(SCALE_DIGITS, '0')}`);
  return inLong(digits) ? digits : undefined;
}

function inLong(value: bigint): boolean {
  return value >= MIN_LONG && value <= MAX_LONG;
}

/** What Cedar's `decimal` reads as this number, such as `0.35` or `1.0`; undefined when no decimal has its value. */
export function decimalText(value: number): string | undefined {
  if (scaled(value) === undefined) return undefined;
  return Number.isInteger(value) ? `${value}.0` : String(value);
}

/** The number a decimal's text stands for; undefined of a text that Cedar would refuse. */
export function numberOfDecimal(text: string): number | undefined {
  const [, sign, whole, fraction] = PLAIN.exec(text) ?? [];
  if (whole === undefined || fraction === undefined) return undefined;
  return inLong(BigInt(`${sign}${whole}${fraction.padEnd(SCALE_DIGITS, '0')}`)) ? Number(text) : undefined;
}

/** A score from 0 to 1 in whole ten-thousandths, for schemas that declare it as Long; undefined with more decimals. */
export function tenThousandths(score: number): number | undefined {
  const count = scaled(score);
  return count === undefined ? undefined : Number(count);
}

import { MAX_DECIMALS } from '../storable.ts';

/** A decimal's value in one spelling: its digits without zeros around them, and the power of ten of the last digit. */
function value(text: string): string {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().replace(/^-/, '').split('e');
  const [whole = '', fraction = ''] = mantissa.split('.');
  const digits = stripZeros(whole + fraction);
  if (digits.significant === '') return '0';
  return `${digits.significant}e${Number(exponent) - fraction.length + digits.trailing}`;
}

/** Loops, because a regular expression that looks for trailing zeros takes quadratic time. */
function stripZeros(digits: string): { significant: string; trailing: number } {
  let start = 0;
  while (digits[start] === '0') start++;
  let end = digits.length;
  while (end > start && digits[end - 1] === '0') end--;
  return { significant: digits.slice(start, end), trailing: digits.length - end };
}

function decimals(text: string): number {
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e');
  const fraction = mantissa.split('.')[1] ?? '';
  return fraction.length - Number(exponent);
}

/** The number a JSON number text stands for, or undefined when a double's shortest form has another value. */
export function exactNumber(text: string): number | undefined {
  const number = Number(text);
  if (!Number.isFinite(number) || decimals(text) > MAX_DECIMALS) return undefined;
  const sameText = String(number) === text;
  if (!sameText && value(String(number)) !== value(text)) return undefined;
  return number === 0 ? 0 : number;
}

import { isPlainObject } from './scalars/kind.ts';
import { MAX_VIOLATIONS, pointer, type Violation } from './violation.ts';

/** Levels of objects and arrays; the document itself is level 1. */
export const MAX_NESTING = 64;
/** A double's shortest form has at most 324 decimals; more would only be zeros, and numbers of 16,000 of them are a bomb. */
export const MAX_DECIMALS = 400;

interface Complaint {
  readonly rule: string;
  readonly message: string;
}
export const TOO_LARGE: Complaint = { rule: 'too_large', message: 'must take at most 1 MiB' };
export const TOO_DEEP: Complaint = {
  rule: 'nesting',
  message: `must not be nested deeper than ${MAX_NESTING} levels, the document being level 1`,
};
export const INEXACT_NUMBER: Complaint = {
  rule: 'number_exact',
  message: 'must be a number that a double gives back in its shortest form; send longer ones as strings',
};
export const NUL_TEXT: Complaint = { rule: 'text_storable', message: 'must not contain the character U+0000' };
export const LONE_SURROGATE: Complaint = {
  rule: 'text_storable',
  message: 'must not contain half of a surrogate pair; a text was probably cut inside a character',
};
export const NOT_JSON: Complaint = {
  rule: 'json',
  message: 'must be JSON: null, boolean, finite number, string, array or plain object',
};

// With the u flag a surrogate pair is one character, so only a lone half is in this range.
const LONE_HALF = /[\ud800-\udfff]/u;

export function textComplaint(text: string): Complaint | undefined {
  if (text.includes('\u0000')) return NUL_TEXT;
  return LONE_HALF.test(text) ? LONE_SURROGATE : undefined;
}

/** The violations of a JavaScript value that could not be stored and read back as it is; undefined members are absent. */
export function unstorable(value: unknown): Violation[] {
  const violations: Violation[] = [];
  const path: (string | number)[] = [];
  const complain = ({ rule, message }: Complaint) => violations.push({ path: pointer(path), rule, message });

  function visit(node: unknown, level: number): void {
    if (violations.length >= MAX_VIOLATIONS || node === null || typeof node === 'boolean') return;
    if (typeof node === 'string') {
      const complaint = textComplaint(node);
      if (complaint) complain(complaint);
    } else if (typeof node === 'number') {
      if (!Number.isFinite(node)) complain(NOT_JSON);
    } else if (Array.isArray(node)) {
      if (level > MAX_NESTING) complain(TOO_DEEP);
      else for (const [index, item] of node.entries()) descend(index, item, level);
    } else if (isPlainObject(node) && isBare(node)) {
      if (level > MAX_NESTING) complain(TOO_DEEP);
      else for (const [name, member] of Object.entries(node)) if (member !== undefined) descend(name, member, level);
    } else {
      complain(NOT_JSON);
    }
  }

  function descend(segment: string | number, node: unknown, level: number): void {
    path.push(segment);
    const complaint = typeof segment === 'string' ? textComplaint(segment) : undefined;
    if (complaint) complain(complaint);
    else visit(node, level + 1);
    path.pop();
  }

  visit(value, 1);
  return violations;
}

/** Not a Date, a Map or another object that JSON would turn into something else. */
function isBare(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype || Object.getPrototypeOf(prototype) === null;
}

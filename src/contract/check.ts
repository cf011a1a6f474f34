import type * as z from 'zod';
import { DOCUMENTS, type DocumentName } from './documents/index.ts';
import { DOCUMENT_MAX_BYTES } from './documents/parts.ts';
import { type Normalised, normalised } from './normalise.ts';
import { ruleHolds } from './rules/holds.ts';
import { isPlainObject } from './scalars/kind.ts';
import { complaint, isRequired, mustBe, NOT_A_MEMBER, type Shape, shapeOf } from './shape.ts';
import { TOO_LARGE, unstorable } from './storable.ts';
import { storedSize } from './stored-size.ts';
import { MAX_VIOLATIONS, pointer, type Violation } from './violation.ts';

export type DocumentOf<N extends DocumentName> = Normalised<z.output<(typeof DOCUMENTS)[N]['schema']>>;
export type Checked<D> = { ok: true; document: D } | { ok: false; violations: Violation[] };
export type CheckedEnvelope = { ok: true; envelope: Envelope } | { ok: false; violations: Violation[] };
export type Envelope = DocumentOf<'envelope'>;

const shapes = new Map<DocumentName, Shape>();

export function documentShape(name: DocumentName): Shape {
  let shape = shapes.get(name);
  if (!shape) {
    shape = shapeOf(DOCUMENTS[name].schema);
    shapes.set(name, shape);
  }
  return shape;
}

/** The shape at a place a zod issue names. */
function shapeAt(root: Shape, path: readonly PropertyKey[]): Shape {
  let shape = root;
  for (const segment of path) {
    if (shape.type === 'list') shape = shape.item;
    else if (shape.type === 'object') shape = shape.members.get(String(segment))?.shape ?? shape;
  }
  return shape;
}

function valueAt(root: unknown, path: readonly PropertyKey[]): unknown {
  let value = root;
  for (const segment of path) value = (value as Record<PropertyKey, unknown>)[segment];
  return value;
}

function ofIssue(issue: z.core.$ZodIssue, root: Shape, value: unknown): Violation[] {
  if (issue.code === 'unrecognized_keys') {
    return issue.keys
      .filter((key) => valueAt(value, [...issue.path, key]) !== undefined)
      .map((key) => ({ path: pointer([...issue.path, key]), rule: 'unknown_member', message: NOT_A_MEMBER }));
  }
  const shape = shapeAt(root, issue.path);
  const path = pointer(issue.path);
  const missing = issue.path.length > 0 && (valueAt(value, issue.path) ?? null) === null;
  if (missing) return [{ path, rule: 'required', message: isRequired(shape) }];
  return [{ path, rule: complaint(shape).rule, message: mustBe(shape) }];
}

function shapeViolations(name: DocumentName, value: unknown): Violation[] {
  const parsed = DOCUMENTS[name].schema.safeParse(value);
  if (parsed.success) return [];
  const found = new Map<string, Violation>();
  for (const issue of parsed.error.issues) {
    for (const violation of ofIssue(issue, documentShape(name), value)) {
      found.set(`${violation.path} ${violation.rule}`, violation);
    }
  }
  return [...found.values()];
}

function sizeViolations(value: unknown): Violation[] {
  return storedSize(value) > DOCUMENT_MAX_BYTES ? [{ path: '', ...TOO_LARGE }] : [];
}

/** Everything wrong with a value as a document of this kind; empty when it is good. At most 100 are told. */
export function violationsOf(name: DocumentName, value: unknown): Violation[] {
  const notStorable = unstorable(value);
  if (notStorable.length > 0) return notStorable;
  if (!isPlainObject(value)) return [{ path: '', rule: 'object', message: mustBe(documentShape(name)) }];
  const tooLarge = sizeViolations(value);
  if (tooLarge.length > 0) return tooLarge;
  const broken = DOCUMENTS[name].rules
    .filter((rule) => !ruleHolds(rule, value))
    .map(({ path, rule, message }) => ({ path, rule, message }));
  return [...shapeViolations(name, value), ...broken].slice(0, MAX_VIOLATIONS);
}

/**
 * Checks a document a caller sent. On success it comes back in its stored form: every optional member there, null when
 * it was absent. Free objects (`result`, `data`, `attributes`, …) come back as they are, the same object.
 */
export function checkDocument<N extends DocumentName>(name: N, value: unknown): Checked<DocumentOf<N>> {
  const violations = violationsOf(name, value);
  if (violations.length > 0) return { ok: false, violations };
  return { ok: true, document: normalised(documentShape(name), value) as DocumentOf<N> };
}

/**
 * Checks an outcome envelope against its schema, the status table and every rule that needs no record beside it (design
 * section 5); on success in its stored form, `errors` an empty list when absent.
 */
export function checkEnvelope(value: unknown): CheckedEnvelope {
  const checked = checkDocument('envelope', value);
  return checked.ok ? { ok: true, envelope: checked.document } : checked;
}

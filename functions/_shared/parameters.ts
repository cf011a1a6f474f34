// Path and query parameters, read by the contract's own scalars.
import { z } from '@hono/zod-openapi';
import { idText, kindHolds, scalarKinds, semver, time, uuid4 } from '../../src/contract/scalars/index.ts';

/** A UUID v4 in lower case with hyphens. */
export function uuidParameter(description: string): z.ZodString {
  return scalar(uuid4).openapi({ description, format: 'uuid', example: '7c9e6679-7425-40de-944b-e07fc1f90ae7' });
}

/** A name of 1 to 200 characters that is not blank. */
export function nameParameter(description: string, example?: string): z.ZodString {
  return scalar(idText)
    .refine((text) => !text.includes('\0'), 'must not hold U+0000')
    .openapi({ description, minLength: 1, maxLength: 200, ...(example === undefined ? {} : { example }) });
}

export function versionParameter(description: string): z.ZodString {
  return scalar(semver).openapi({ description, example: '1.1.0' });
}

/** An RFC 3339 time in UTC, as the envelope writes times. */
export function timeParameter(description: string): z.ZodString {
  return scalar(time).openapi({ description, format: 'date-time', example: '2026-05-20T10:00:00Z' });
}

/** A whole number between two bounds, written in digits. */
export function countParameter(description: string, bounds: { min: number; max: number; fallback: number }) {
  const { min, max, fallback } = bounds;
  const fits = (text: string) => /^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max;
  return z
    .string()
    .refine(fits, `must be a whole number from ${min} to ${max}`)
    .transform(Number)
    .optional()
    .openapi({
      description: `${description} Default ${fallback}.`,
      type: 'integer',
      minimum: min,
      maximum: max,
      example: fallback,
    });
}

export function wordParameter<const T extends readonly [string, ...string[]]>(description: string, words: T) {
  return z.enum(words, `must be one of ${words.join(', ')}`).openapi({ description });
}

/** The same check as in documents, with the same words. */
function scalar(schema: z.ZodType): z.ZodString {
  const kind = scalarKinds.get(schema);
  if (!kind) throw new TypeError('not a scalar of the contract');
  return z.string().refine((text) => kindHolds(kind, text), `must be ${kind.expected}`);
}

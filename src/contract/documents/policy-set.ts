import * as z from 'zod';
import type { Rule } from '../rules/rule.ts';
import { name, semver } from '../scalars/index.ts';
import { POLICY_TEXT_MAX_BYTES, within } from './parts.ts';

/** One version of a tenant's policies: Cedar text, its schema, and what is masked before an input is kept. */
export const policySetSchema = z.strictObject({
  version: semver,
  policies: name,
  schema: name.nullish(),
  /** JSON Pointers into {principal, action, resource, context}. */
  mask: z.array(name).nullish(),
  note: name.nullish(),
});

export const policySetRules: readonly Rule[] = [within('', POLICY_TEXT_MAX_BYTES)];

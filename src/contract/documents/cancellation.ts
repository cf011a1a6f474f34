import * as z from 'zod';
import type { Rule } from '../rules/rule.ts';
import { name } from '../scalars/index.ts';
import { within } from './parts.ts';

/** Why an operator or an orchestrator gives an open subject up; it becomes the message of the outcome's CANCELED error. */
export const cancellationSchema = z.strictObject({ reason: name });

export const cancellationRules: readonly Rule[] = [within('', 4096)];

import type { ErrorCode } from './errors.ts';
import type { Violation } from './violation.ts';

/** What a refused request is answered with, as `application/problem+json` (RFC 9457). */
export interface Problem {
  /** The documentation page of the code. */
  type: string;
  title: string;
  status: number;
  code: ErrorCode;
  detail: string;
  violations?: Violation[];
  request_id?: string;
  /** Extension members, such as the `outcome_id` that won a conflict. */
  [extension: string]: unknown;
}

import type { Violation } from '../contract/index.ts';
import { EXIT, type ExitCode } from './exit.ts';

/** A problem as the command shows it: the members of RFC 9457 that make sense here, and the one thing to do next. */
export interface CliProblem {
  code: string;
  detail: string;
  title?: string;
  /** HTTP status, when a ledger answered it. */
  status?: number;
  violations?: Violation[];
  remedy?: string;
  request_id?: string;
  [extension: string]: unknown;
}

/** Ends a command: `problem` is printed, `exit` is the exit code. */
export class Failure extends Error {
  readonly problem: CliProblem;
  readonly exit: ExitCode;

  constructor(problem: CliProblem, exit: ExitCode = EXIT.refused, options?: { cause?: unknown }) {
    super(`${problem.code}: ${problem.detail}`, options);
    this.name = 'Failure';
    this.problem = problem;
    this.exit = exit;
  }
}

export function usage(detail: string, remedy?: string): Failure {
  return new Failure({ code: 'usage', title: 'Wrong usage', detail, remedy }, EXIT.refused);
}

export function unreadable(detail: string, violations: Violation[] = []): Failure {
  return new Failure({ code: 'unreadable_input', title: 'Unreadable input', detail, violations }, EXIT.refused);
}

export function preflight(code: string, detail: string, remedy?: string, cause?: unknown): Failure {
  return new Failure({ code, title: 'Nothing was started', detail, remedy }, EXIT.refused, { cause });
}

export function unreachable(detail: string, remedy: string, cause?: unknown): Failure {
  return new Failure({ code: 'ledger_unreachable', title: 'No ledger answers', detail, remedy }, EXIT.refused, {
    cause,
  });
}

/** A problem document of a ledger, as an exit code: what may have been decided by a record is 1, all else 2. */
export function exitOfStatus(status: number): ExitCode {
  return status === 404 || status === 409 ? EXIT.failed : EXIT.refused;
}

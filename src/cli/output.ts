import type { CliProblem, Failure } from './failure.ts';
import { renderProblem } from './render/problem.ts';
import type { Terminal } from './terminal.ts';

/** Prints one document for programs, or the text for people. */
export function print(terminal: Terminal, json: boolean | undefined, document: unknown, text: () => string): void {
  const shown = json ? JSON.stringify(document, null, 2) : text();
  if (shown !== '') terminal.out(shown);
}

/**
 * A failure goes to stderr for people. With --json the same problem is the one document on stdout,
 * so that a program reading stdout finds JSON whatever happened.
 */
export function printFailure(terminal: Terminal, json: boolean, failure: Failure): void {
  terminal.err(renderProblem(failure.problem, terminal.errColour));
  if (json) terminal.out(JSON.stringify(problemDocument(failure.problem, failure.exit), null, 2));
}

function problemDocument(problem: CliProblem, exit: number): Record<string, unknown> {
  return { ...problem, violations: problem.violations ?? [], exit_code: exit };
}

import { GraphFault, GraphRefused, PositionMoved, QueryRefused } from '../fault.ts';
import { FAULT_RULES, type FaultRule } from './fault-table.ts';

/** The part of the driver's error that decides. */
interface ServerError extends Error {
  code: string;
}

/** Which rule of the table an error falls under. */
export function ruleOf(error: { code: string; message: string; cause?: unknown }): FaultRule {
  const said = messages(error).join('\n');
  const rule = FAULT_RULES.find(({ code, says }) => patternOf(code).test(error.code) && (says?.test(said) ?? true));
  // The last rule fits everything.
  return rule as FaultRule;
}

/**
 * An error of the driver as a fault of the graph: the kind by the table, in plain words, what the server said after them.
 * What is no error of the driver's comes back as it is.
 */
export function faultOf(error: unknown): unknown {
  const ours = [GraphFault, GraphRefused, PositionMoved, QueryRefused].some((kind) => error instanceof kind);
  if (ours || !isServerError(error)) return error;
  const { kind, what, todo } = ruleOf(error);
  // Of what passes it is said apart: by the time somebody reads it, there may be nothing to do.
  const passing = kind === 'passing';
  const advice = todo && !passing ? `; ${todo}` : '';
  return new GraphFault(kind, error.code, `Neo4j: ${what} (${error.code}: ${firstSentence(error)})${advice}`, {
    cause: error,
    remedy: passing ? todo : undefined,
  });
}

export function isServerError(error: unknown): error is ServerError {
  return error instanceof Error && error.name === 'Neo4jError' && typeof (error as ServerError).code === 'string';
}

/** What the server said, cut to one line without the echo of a query; of the driver's own errors, what they were caused by. */
export function firstSentence(error: ServerError): string {
  const told = error.code.startsWith('Neo.') ? error.message : (messages(error).at(-1) ?? '');
  const line = (told.split('Caused by: ').at(-1) ?? '').split('\n')[0] ?? '';
  return line.length > 300 ? `${line.slice(0, 300)}…` : line;
}

function messages(error: { message: string; cause?: unknown }): string[] {
  const cause = error.cause instanceof Error ? messages(error.cause) : [];
  return [error.message, ...cause];
}

const patterns = new Map<string, RegExp>();

function patternOf(code: string): RegExp {
  let pattern = patterns.get(code);
  if (!pattern) {
    pattern = new RegExp(`^${code.replaceAll('.', '\\.').replaceAll('*', '.*')}$`);
    patterns.set(code, pattern);
  }
  return pattern;
}

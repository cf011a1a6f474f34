import type { PhaseMessage } from '../../client/phase-documents.ts';
import { MAX_VIOLATIONS, type Violation } from '../../contract/violation.ts';
import { unreadable } from '../failure.ts';
import { nameOfFile } from '../read-file.ts';

/**
 * An agent's messages from a file: a JSON array of them, one JSON value a line, or a text that is one message. What
 * begins like JSON has to be JSON: read as a text, its report would stand in quotation marks and fail the phase for good.
 */
export function messagesOf(text: string, file: string): PhaseMessage[] {
  const begin = text.trimStart()[0];
  if (begin === undefined) return [];
  if (begin !== '[' && begin !== '{' && begin !== '"') return [text];
  const values = begin === '[' ? arrayOf(text, file) : linesOf(text, file);
  const violations: Violation[] = [];
  for (const [n, value] of values.entries()) {
    if (isMessage(value) || violations.length === MAX_VIOLATIONS) continue;
    violations.push({ path: `/${n}`, rule: 'message', message: 'must be a text, or {"role": …, "text": …}' });
  }
  if (violations.length > 0) throw unreadable(`${nameOfFile(file)} holds what is no message`, violations);
  return values as PhaseMessage[];
}

function isMessage(value: unknown): value is PhaseMessage {
  if (typeof value === 'string') return true;
  const { role, text } = (value ?? {}) as { role?: unknown; text?: unknown };
  return typeof role === 'string' && typeof text === 'string';
}

function arrayOf(text: string, file: string): unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    if (Array.isArray(value)) return value;
  } catch (error) {
    throw unreadable(
      `${nameOfFile(file)} begins with [ and is not a JSON array (${(error as Error).message}); give a text that begins so as an array of one`,
    );
  }
  throw unreadable(`${nameOfFile(file)} is not a JSON array`);
}

function linesOf(text: string, file: string): unknown[] {
  return text.split('\n').flatMap((line, n) => {
    if (line.trim() === '') return [];
    try {
      return [JSON.parse(line) as unknown];
    } catch (error) {
      throw unreadable(
        `${nameOfFile(file)} begins like JSON lines, and line ${n + 1} is not JSON (${(error as Error).message}); give a text that begins so as a JSON array of one`,
      );
    }
  });
}

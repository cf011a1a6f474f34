import type { PhaseMessage } from '../../client/phase-documents.ts';
import { MAX_VIOLATIONS, type Violation } from '../../contract/violation.ts';
import { unreadable } from '../failure.ts';
import { nameOfFile } from '../read-file.ts';

export const MESSAGES_FORMATS = ['json', 'text'] as const;
export type MessagesFormat = (typeof MESSAGES_FORMATS)[number];

export interface AgentMessages {
  messages: PhaseMessage[];
  /** What a reader of them should look at; nothing that keeps the run from being concluded. */
  notes: string[];
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/**
 * An agent's messages from a file: a JSON array of them, one JSON value a line, or a text that is one message. An agent's
 * text is never a reason not to conclude: what is not such JSON is a text, whatever it begins with, unless the caller says
 * that it has to be JSON.
 */
export function messagesOf(bytes: Uint8Array, file: string, format?: MessagesFormat): AgentMessages {
  const { text, notes } = decoded(bytes, nameOfFile(file));
  const begin = text.trimStart()[0];
  if (begin === undefined) return { messages: [], notes };
  if (format === 'text') return { messages: [text], notes };
  const beginsLikeJson = begin === '[' || begin === '{' || begin === '"';
  if (format === undefined && !beginsLikeJson) return { messages: [text], notes };
  const read = begin === '[' ? arrayOf(text) : linesOf(text);
  if ('messages' in read) return { messages: read.messages, notes };
  if (format === 'json') {
    throw unreadable(
      `${nameOfFile(file)} ${read.fault}; give texts or {"role": …, "text": …}, as an array or one a line`,
      read.violations,
    );
  }
  const note = `${nameOfFile(file)} begins like JSON and ${read.fault}: taken as one message of text (--messages-format json refuses that)`;
  return { messages: [text], notes: [...notes, note] };
}

function decoded(bytes: Uint8Array, name: string): { text: string; notes: string[] } {
  try {
    return { text: utf8.decode(bytes), notes: [] };
  } catch {
    const notes = [`${name} is not UTF-8 throughout: what cannot be read of it stands as U+FFFD`];
    return { text: new TextDecoder().decode(bytes), notes };
  }
}

type Read = { messages: PhaseMessage[] } | { fault: string; violations: Violation[] };

function arrayOf(text: string): Read {
  try {
    return messagesAmong(JSON.parse(text) as unknown[]);
  } catch (error) {
    return { fault: `is not a JSON array (${(error as Error).message})`, violations: [] };
  }
}

function linesOf(text: string): Read {
  const values: unknown[] = [];
  for (const [n, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    try {
      values.push(JSON.parse(line));
    } catch (error) {
      return { fault: `its line ${n + 1} is not JSON (${(error as Error).message})`, violations: [] };
    }
  }
  return messagesAmong(values);
}

function messagesAmong(values: unknown[]): Read {
  const places = values.flatMap((value, n) => (isMessage(value) ? [] : [n]));
  if (places.length === 0) return { messages: values as PhaseMessage[] };
  return {
    fault: `holds what is no message, first at /${places[0]}`,
    violations: places.slice(0, MAX_VIOLATIONS).map((n) => ({
      path: `/${n}`,
      rule: 'message',
      message: 'must be a text, or {"role": …, "text": …}',
    })),
  };
}

function isMessage(value: unknown): value is PhaseMessage {
  if (typeof value === 'string') return true;
  const { role, text } = (value ?? {}) as { role?: unknown; text?: unknown };
  return typeof role === 'string' && typeof text === 'string';
}

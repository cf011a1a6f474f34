import type { ErrorEntry } from './documents.ts';
import { cutText, toStorableText } from './text.ts';

const CODE = /^[A-Za-z][A-Za-z0-9_.:-]{0,99}$/;
/** Longest message kept, in code points. The whole envelope has 1 MiB. */
const MAX_MESSAGE = 4_000;
const MAX_NAME = 200;
const MAX_ENTRIES = 20;

/**
 * The error entries of an envelope for whatever a function threw.
 *
 * Taken from the thrown error when it has them: `code` (else its class name, `TypeError` → `TYPE_ERROR`), `message`,
 * `recoverable`, `field`, `source_agent_id`, `retry_after_ms`. An `AggregateError` adds one entry for each of its
 * errors. Texts are made storable (no NUL, no half characters) and cut between characters.
 *
 * @param recoverable used when the error does not say.
 */
export function entriesOfThrown(thrown: unknown, recoverable: boolean): ErrorEntry[] {
  const inner = read(thrown, 'errors');
  const further = thrown instanceof AggregateError && Array.isArray(inner) ? inner : [];
  return [thrown, ...further].slice(0, MAX_ENTRIES).map((error) => entryOf(error, recoverable));
}

/** An entry from its parts, made storable; an unusable code becomes `ERROR`. */
export function errorEntry(entry: Partial<ErrorEntry> & { message: string }, recoverable: boolean): ErrorEntry {
  const code = typeof entry.code === 'string' && CODE.test(entry.code) ? entry.code : 'ERROR';
  const retryAfter = entry.retry_after_ms;
  return {
    code,
    message: nonBlank(entry.message, MAX_MESSAGE) ?? code,
    ...optionalName('field', entry.field),
    ...optionalName('source_agent_id', entry.source_agent_id),
    recoverable: typeof entry.recoverable === 'boolean' ? entry.recoverable : recoverable,
    ...(Number.isSafeInteger(retryAfter) && Number(retryAfter) >= 0 ? { retry_after_ms: Number(retryAfter) } : {}),
  };
}

function entryOf(thrown: unknown, recoverable: boolean): ErrorEntry {
  const named = codeOfName(read(thrown, 'name'));
  const code = read(thrown, 'code');
  return errorEntry(
    {
      code: typeof code === 'string' && CODE.test(code) ? code : named,
      message: messageOf(thrown),
      field: read(thrown, 'field') as string,
      source_agent_id: read(thrown, 'source_agent_id') as string,
      recoverable: read(thrown, 'recoverable') as boolean,
      retry_after_ms: read(thrown, 'retry_after_ms') as number,
    },
    recoverable,
  );
}

/** `TypeError` → `TYPE_ERROR`, `HTTPError` → `HTTP_ERROR`; a plain `Error` and the nameless say nothing. */
function codeOfName(name: unknown): string {
  if (typeof name !== 'string' || name === 'Error') return 'UNHANDLED_ERROR';
  const code = name.replace(/([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])/g, '$1$3_$2$4').toUpperCase();
  return CODE.test(code) ? code : 'UNHANDLED_ERROR';
}

function messageOf(thrown: unknown): string {
  const message = read(thrown, 'message');
  if (typeof message === 'string' && message !== '') return message;
  if (typeof thrown === 'string' && thrown !== '') return thrown;
  if (thrown instanceof Error) return String(read(thrown, 'name') ?? 'Error');
  try {
    return `thrown: ${JSON.stringify(thrown) ?? String(thrown)}`;
  } catch {
    return `thrown: a value of type ${typeof thrown}`;
  }
}

function optionalName<N extends 'field' | 'source_agent_id'>(name: N, value: unknown): { [K in N]?: string } {
  const text = typeof value === 'string' ? nonBlank(value, MAX_NAME) : undefined;
  return (text === undefined ? {} : { [name]: text }) as { [K in N]?: string };
}

function nonBlank(text: string, limit: number): string | undefined {
  const stored = cutText(toStorableText(text), limit);
  // The ledger's white space: JavaScript's, and U+0085.
  return /[^\s\u0085]/.test(stored) ? stored : undefined;
}

/** A member of anything; a getter that throws reads as absent, because the thrown error itself must survive. */
function read(value: unknown, member: string): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined;
  try {
    return (value as { [name: string]: unknown })[member];
  } catch {
    return undefined;
  }
}

import type { CliProblem } from './failure.ts';
import { exitOfStatus, Failure, unreachable } from './failure.ts';

/** A cold edge function answers within seconds; longer means that nobody will. */
const TIMEOUT_MS = 30_000;

/** `http://host`, `http://host/functions/v1` and both with a trailing slash name the same ledger. */
export function functionsUrlOf(url: string): string {
  const bare = url.replace(/\/+$/, '');
  return bare.endsWith('/functions/v1') ? bare : `${bare}/functions/v1`;
}

export interface Reader {
  functionsUrl: string;
  token: string | undefined;
}

/** GET below the functions' URL; a problem document becomes a Failure with its exit code. */
export async function getJson<T>(reader: Reader, path: string, timeoutMs = TIMEOUT_MS): Promise<T> {
  return (await callJson<T>(reader, 'GET', path, undefined, Math.min(timeoutMs, TIMEOUT_MS))).document;
}

/** POST of one JSON document; answers as `getJson` does. */
export async function postJson<T>(reader: Reader, path: string, body: unknown): Promise<T> {
  return (await callJson<T>(reader, 'POST', path, body)).document;
}

/** The same of a body that may have many MiB and lines that may be slow, and whether the ledger had it before this call. */
export function postLarge<T>(reader: Reader, path: string, body: unknown): Promise<Answer<T>> {
  return callJson(reader, 'POST', path, body, 5 * TIMEOUT_MS);
}

interface Answer<T> {
  document: T;
  replayed: boolean;
}

async function callJson<T>(
  reader: Reader,
  method: 'GET' | 'POST',
  path: string,
  sent?: unknown,
  timeoutMs = TIMEOUT_MS,
): Promise<Answer<T>> {
  const url = `${reader.functionsUrl}${path}`;
  let response: Response;
  let body: string;
  try {
    response = await fetch(url, {
      method,
      headers: {
        ...(reader.token ? { authorization: `Bearer ${reader.token}`, accept: 'application/json' } : {}),
        ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
      signal: AbortSignal.timeout(timeoutMs),
      redirect: 'error',
    });
    body = await response.text();
  } catch (cause) {
    throw unreachable(
      `${reader.functionsUrl} does not answer (${reasonOf(cause)})`,
      'check --url / OUTCOME_LEDGER_URL, or start a local ledger: outcome-ledger up --detach',
      cause,
    );
  }
  const document = parse(body);
  if (response.ok && document !== undefined) {
    return { document: document as T, replayed: response.headers.get('idempotent-replayed') === 'true' };
  }
  throw await problemOf(response.status, document);
}

async function problemOf(status: number, document: unknown): Promise<Failure> {
  if (!isProblem(document)) {
    return new Failure({
      code: 'unexpected_answer',
      title: 'Not a ledger',
      status,
      detail: 'what answered does not speak like a ledger',
      remedy: 'check that --url names the functions of an Outcome Ledger (…/functions/v1)',
    });
  }
  const { ERRORS } = await import('../contract/index.ts');
  const known = Object.hasOwn(ERRORS, document.code) ? ERRORS[document.code as keyof typeof ERRORS] : undefined;
  return new Failure({ ...document, status, remedy: document.remedy ?? known?.remedy }, exitOfStatus(status));
}

function isProblem(value: unknown): value is CliProblem {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as { code?: unknown }).code === 'string' &&
    typeof (value as { detail?: unknown }).detail === 'string'
  );
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause as { code?: string; message?: string } | undefined;
  return cause?.code ?? cause?.message ?? error.message;
}

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
export function getJson<T>(reader: Reader, path: string): Promise<T> {
  return callJson(reader, 'GET', path);
}

/** POST of one JSON document; answers as `getJson` does. */
export function postJson<T>(reader: Reader, path: string, body: unknown): Promise<T> {
  return callJson(reader, 'POST', path, body);
}

async function callJson<T>(reader: Reader, method: 'GET' | 'POST', path: string, sent?: unknown): Promise<T> {
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
      signal: AbortSignal.timeout(TIMEOUT_MS),
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
  if (response.ok && document !== undefined) return document as T;
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

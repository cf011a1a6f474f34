import { misuse } from './errors.ts';

const FUNCTIONS_PATH = /\/functions\/v1\/?$/;

/**
 * The project URL that supabase-js wants, from either form in use: the project's own URL
 * (`https://ref.supabase.co`) or the functions' (`http://127.0.0.1:54321/functions/v1`).
 */
export function toProjectUrl(url: string): string {
  let parsed: URL;
  try {
    parsed = new URL(url.trim());
  } catch {
    throw misuse(`the ledger's url is not a URL: ${JSON.stringify(url)}`);
  }
  if (parsed.protocol !== 'http:' && parsed.protocol !== 'https:') {
    throw misuse(`the ledger's url must begin with http:// or https://: ${JSON.stringify(url)}`);
  }
  return `${parsed.origin}${parsed.pathname.replace(FUNCTIONS_PATH, '')}`.replace(/\/+$/, '');
}

/**
 * One path segment. URLs drop the segments `.` and `..`, escaped or not, so that an id of that name would silently
 * ask for something else.
 */
export function segment(id: string): string {
  if (typeof id !== 'string' || id === '' || id === '.' || id === '..') {
    throw misuse(`${JSON.stringify(id)} cannot stand in a path; ask by a list filter instead`);
  }
  // `<function>/health` is the function's own health; the same word as an id is told apart by its spelling.
  if (id === 'health') return '%68ealth';
  try {
    return encodeURIComponent(id);
  } catch {
    throw misuse('an id holds half of a surrogate pair');
  }
}

export type Query = { [name: string]: string | number | boolean | null | undefined };

/** `?a=1&b=2` of the members that are set, or nothing. */
export function queryString(query: object): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query as Query)) {
    if (value !== undefined && value !== null) parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}

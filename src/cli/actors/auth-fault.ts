import { EXIT } from '../exit.ts';
import { Failure, preflight } from '../failure.ts';

/** What came back over the wire: supabase-js keeps neither the words of a 500 nor the cause of a lost connection. */
export interface Heard {
  status?: number;
  text?: string;
  cause?: unknown;
}

/** A refusal of Supabase Auth, or its silence, as a failure of the command. */
export function failureOf(url: string, heard: Heard): Failure {
  const { status, cause } = heard;
  const { code, words } = toldBy(heard.text ?? '');
  if (status === undefined) return unreachable(`${url}/auth/v1 does not answer (${reasonOf(cause)})`, cause);
  if (status >= 500 || status === 429) {
    return unreachable(`${url}/auth/v1 cannot work now: ${status}${words === '' ? '' : ` ${words}`}`);
  }
  if (status === 401 || status === 403) {
    const detail = `Supabase Auth does not take this key: ${words || status}`;
    return preflight('service_key_refused', detail, "it must be this project's service-role (secret) key");
  }
  if (code === 'email_exists') {
    const detail = 'another user of the project has this address';
    return new Failure({ code: 'email_taken', detail, remedy: 'choose another --email' }, EXIT.failed);
  }
  if (status < 400 || code === '') {
    return preflight('unexpected_answer', `what answers at ${url} (${status}) is not Supabase Auth`, 'check --url');
  }
  return new Failure(
    { code: 'auth_refused', title: 'Supabase Auth refused', detail: `${code}: ${words}` },
    EXIT.failed,
  );
}

function unreachable(detail: string, cause?: unknown): Failure {
  const problem = { code: 'auth_unreachable', title: 'No answer', detail, remedy: 'check --url, then try again' };
  return new Failure(problem, EXIT.refused, { cause });
}

function toldBy(text: string): { code: string; words: string } {
  try {
    const { code, error_code, message, msg } = JSON.parse(text) as Record<string, unknown>;
    const first = (...values: unknown[]) => values.find((value) => typeof value === 'string' && value !== '') ?? '';
    return { code: String(first(code, error_code)), words: String(first(message, msg)) };
  } catch {
    return { code: '', words: '' };
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause as { code?: string; message?: string } | undefined;
  return cause?.code ?? cause?.message ?? error.message;
}

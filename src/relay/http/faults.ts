import { ReachRefused } from './reach.ts';

/** Why there is no answer. Codes are stable: metrics and `last_error` carry them. */
export interface SendFault {
  code:
    | ReachRefused['code']
    | 'timeout'
    | 'connect_failed'
    | 'connection_lost'
    | 'tls_failed'
    | 'answer_invalid'
    | 'send_failed';
  message: string;
}

const KNOWN: readonly (readonly [pattern: RegExp, code: SendFault['code'], words: string])[] = [
  [
    /^(ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|EHOSTDOWN)$/,
    'connect_failed',
    'nobody can be reached there',
  ],
  [/^(ECONNRESET|EPIPE|ECONNABORTED)$/, 'connection_lost', 'the connection broke before an answer came'],
  [/^(ETIMEDOUT)$/, 'timeout', 'the connection timed out'],
  [/^HPE_/, 'answer_invalid', 'what came back is not HTTP, or its headers are too large'],
  [
    /^(ERR_TLS|ERR_SSL|EPROTO|CERT_|DEPTH_ZERO|SELF_SIGNED|UNABLE_TO|ERR_CERT)/,
    'tls_failed',
    'no trusted TLS connection',
  ],
];

export function faultOf(error: unknown, overdue: boolean, timeoutMs: number): SendFault {
  if (overdue) return { code: 'timeout', message: `no answer within ${timeoutMs} ms` };
  if (error instanceof ReachRefused) return { code: error.code, message: error.message };
  const code = codeOf(error);
  const known = KNOWN.find(([pattern]) => pattern.test(code));
  if (known) return { code: known[1], message: `${known[2]} (${code})` };
  return { code: 'send_failed', message: code || 'the request could not be sent' };
}

// Of several addresses that were all tried in vain, the first tells why.
function codeOf(error: unknown): string {
  const { code, errors } = error as { code?: unknown; errors?: { code?: unknown }[] };
  const told = Array.isArray(errors) ? (errors[0]?.code ?? code) : code;
  return typeof told === 'string' ? told : '';
}

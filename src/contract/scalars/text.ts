import { text } from './kind.ts';

// White space as ECMAScript's \s knows it, spelled out because each regular expression engine has its own \s.
const NOT_BLANK = '[^\\t-\\r \\u0085\\u00a0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff]';

/** An id or a name that is a key: 1 to 200 code points, not blank. */
export const idText = text({
  rule: 'id_text',
  expected: 'a string of 1 to 200 characters that is not blank',
  pattern: NOT_BLANK,
  maxCodePoints: 200,
});

/** Words for a reader that may not be missing: an error's message, an escalation's reason. */
export const name = text({ rule: 'name', expected: 'a string that is not empty', notEmpty: true });

/** Words for the record that have to say something. */
export const saying = text({ rule: 'not_blank', expected: 'a string that is not blank', pattern: NOT_BLANK });

/** Free text, empty allowed. */
export const anyText = text({ rule: 'text', expected: 'a string' });

export const errorCode = text({
  rule: 'error_code',
  expected: 'a letter followed by up to 99 letters, digits or any of _ . : -',
  pattern: '^[A-Za-z][A-Za-z0-9_.:-]{0,99}$',
});

const IDENTIFIER = '(0|[1-9][0-9]*|[0-9]*[A-Za-z-][0-9A-Za-z-]*)';

/** Strict SemVer 2.0.0, at most 100 characters. */
export const semver = text({
  rule: 'semver',
  expected: 'a SemVer 2.0.0 version such as 1.4.2 or 2.0.0-rc.1, of at most 100 characters',
  pattern:
    '^(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)\\.(0|[1-9][0-9]*)' +
    `(-${IDENTIFIER}(\\.${IDENTIFIER})*)?(\\+[0-9A-Za-z-]+(\\.[0-9A-Za-z-]+)*)?$`,
  selfTyped: true,
  maxCodePoints: 100,
});

/** `k-of-n` with 0 <= k <= n and n >= 1; both of at most nine digits. */
export const quorum = text({
  rule: 'quorum',
  expected: 'k-of-n without leading zeros, k at most n, n at least 1, such as 5-of-7',
  pattern: '^(0|[1-9][0-9]{0,8})-of-[1-9][0-9]{0,8}$',
  selfTyped: true,
  orderedAround: '-of-',
});

/** A version 4 UUID in lower case. */
export const uuid4 = text({
  rule: 'uuid4',
  expected: 'a version 4 UUID in lower case',
  pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$',
  selfTyped: true,
});

/** W3C Trace Context `traceparent`. */
export const traceparent = text({
  rule: 'traceparent',
  expected: 'a W3C traceparent, such as 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
  pattern: '^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$',
  selfTyped: true,
});

/** Words joined by dots; those that begin with `os.` are the ledger's own. */
export const eventType = text({
  rule: 'event_type',
  expected: 'words joined by dots, of at most 200 characters, not beginning with os. (kept for the ledger)',
  pattern: '^(?![oO][sS](\\.|$))[A-Za-z0-9_:/-]+(\\.[A-Za-z0-9_:/-]+)*$',
  maxCodePoints: 200,
});

export const sha256Hex = text({
  rule: 'sha256',
  expected: '64 hexadecimal digits in lower case',
  pattern: '^[0-9a-f]{64}$',
});

/** Below `artifacts/output/`, no segment empty, `.` or `..`; `pathFault` says in words what is wrong with another. */
export const artifactPath = text({
  rule: 'artifact_path',
  expected: 'a relative path below artifacts/output/ of at most 1000 characters, without empty, . or .. segments',
  pattern: '^artifacts/output/(?!(.*/)?[.]{0,2}(/|$))[^\\u0001-\\u001f\\u007f\\\\]+$',
  maxCodePoints: 1000,
});

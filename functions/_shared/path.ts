// One spelling of a path, whoever served it: Supabase hands a function `/<name>/…`, the local stack strips
// `/functions/v1`, a test calls the bare app, and callers leave doubled or trailing slashes.

/** The path without `/functions/v1`, doubled and trailing slashes; escapes are left as they are. */
export function normalPath(pathname: string): string {
  const single = pathname.replace(/\/{2,}/g, '/');
  const own = single.startsWith('/functions/v1/') ? single.slice('/functions/v1'.length) : single;
  return own.length > 1 && own.endsWith('/') ? own.slice(0, -1) : own;
}

// Every answer names its request; a caller may bring its own name, so that both logs can be read together.

const GOOD = /^[A-Za-z0-9._:-]{1,128}$/;

export function requestIdOf(request: Request): string {
  const given = request.headers.get('x-request-id');
  return given !== null && GOOD.test(given) ? given : crypto.randomUUID();
}

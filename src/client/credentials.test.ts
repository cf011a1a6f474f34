import { expect, test } from 'vitest';
import { createLedger, type LedgerOptions } from './index.ts';

const url = 'http://127.0.0.1:1';
const actor = { email: 'a@actors.invalid', password: 'p' };

test.each<[string, Partial<LedgerOptions>, RegExp]>([
  ['neither', {}, /accessToken is empty.*or an actor/],
  ['both', { accessToken: 't', actor }, /both given/],
  ['no email', { actor: { ...actor, email: ' ' } }, /actor\.email is empty/],
  [
    'a password nobody set',
    { actor: { ...actor, password: undefined as unknown as string } },
    /actor\.password is empty/,
  ],
  ['a url that is none', { actor: { ...actor, url: 'auth' } }, /not a URL/],
])('%s is a mistake that is told at once', (_, options, message) => {
  expect(() => createLedger({ url, ...options })).toThrow(message);
});

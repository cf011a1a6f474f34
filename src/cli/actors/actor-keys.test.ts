import { expect, test } from 'vitest';
import { actorEmail } from './actor-email.ts';
import { newPassword } from './password.ts';

const TENANT = '5b0c8d6e-3f0a-4a39-9a55-6f2f3c1d7e10';

test('passwords are 32 characters of every kind, need no quotes, and never repeat', () => {
  const made = Array.from({ length: 500 }, newPassword);
  for (const password of made) expect(password).toMatch(/^(?!-)(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?=.*[-_])[\w-]{32}$/);
  expect(new Set(made).size).toBe(made.length);
});

test.each([
  ['art-agt-003', /^art-agt-003\.[0-9a-f]{12}@actors\.invalid$/],
  ['WF ART/003', /^wf-art-003\.[0-9a-f]{12}@actors\.invalid$/],
  ['代理人', /^actor\.[0-9a-f]{12}@actors\.invalid$/],
  ['x'.repeat(200), /^x{40}\.[0-9a-f]{12}@actors\.invalid$/],
])('the address of %s', (id, address) => {
  expect(actorEmail(TENANT, id)).toMatch(address);
});

test('ids and tenants that read alike have addresses of their own', () => {
  const other = TENANT.replace('5b', '5c');
  const made = [
    ['a-b', TENANT],
    ['a.b', TENANT],
    ['A-B', TENANT],
    ['a-b', other],
  ].map(([id = '', tenant = '']) => actorEmail(tenant, id));
  expect(new Set(made).size).toBe(made.length);
  expect(actorEmail(TENANT, 'a-b')).toBe(made[0]);
});

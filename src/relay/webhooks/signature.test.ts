import { expect, it } from 'vitest';
import { signatureOf } from './signature.ts';

// The vector that Standard Webhooks publishes.
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const ID = 'msg_p5jXN8AQM9LWM0D4loKWxJek';
const SIGNATURE = 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=';

it('signs as the standard does', () => {
  expect(signatureOf(ID, 1614265330, '{"test": 2432232314}', [SECRET])).toBe(SIGNATURE);
});

it('signs with every secret that is live, the current one first', () => {
  const other = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const both = signatureOf(ID, 1614265330, '{"test": 2432232314}', [other, SECRET]).split(' ');
  expect(both).toHaveLength(2);
  expect(both[1]).toBe(SIGNATURE);
});

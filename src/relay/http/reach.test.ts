import { describe, expect, it } from 'vitest';
import { type Address, type Reach, reachable } from './reach.ts';

const naming =
  (...addresses: string[]) =>
  async () =>
    addresses.map((address): Address => ({ address, family: address.includes(':') ? 6 : 4 }));

const codeOf = (url: string, reach: Reach, ...addresses: string[]) =>
  reachable(new URL(url), reach, naming(...addresses)).then(
    (found) => found.map(({ address }) => address),
    (error: { code: string }) => error.code,
  );

describe('reachable', () => {
  it.each([
    ['https://hooks.example.com/', 'public', ['1.1.1.1'], ['1.1.1.1']],
    ['https://hooks.example.com/', 'public', ['1.1.1.1', '2606:4700::1'], ['1.1.1.1', '2606:4700::1']],
    // One bad address refuses them all.
    ['https://hooks.example.com/', 'public', ['1.1.1.1', '10.0.0.1'], 'address_refused'],
    ['https://hooks.example.com/', 'public', ['127.0.0.1'], 'address_refused'],
    ['https://hooks.example.com/', 'public', ['::ffff:169.254.169.254'], 'address_refused'],
    ['https://hooks.example.com/', 'public', [], 'name_unresolved'],
    ['http://hooks.example.com/', 'public', ['1.1.1.1'], 'url_refused'],
    ['ftp://hooks.example.com/', 'public', ['1.1.1.1'], 'url_refused'],
    ['https://user@hooks.example.com/', 'public', ['1.1.1.1'], 'url_refused'],
    ['http://localhost/', 'public', ['127.0.0.1'], 'address_refused'],
    ['http://localhost/', 'public_and_loopback', ['127.0.0.1', '::1'], ['127.0.0.1', '::1']],
    ['https://localhost/', 'public_and_loopback', ['127.0.0.1'], ['127.0.0.1']],
    ['http://hooks.example.com/', 'public_and_loopback', ['1.1.1.1'], 'url_refused'],
    ['https://hooks.example.com/', 'public_and_loopback', ['10.0.0.1'], 'address_refused'],
    ['http://collector.internal/', 'any', ['10.0.0.1'], ['10.0.0.1']],
    ['file:///etc/passwd', 'any', [], 'url_refused'],
  ] as const)('%s within %s at %j: %j', async (url, reach, addresses, expected) => {
    expect(await codeOf(url, reach, ...addresses)).toEqual(expected);
  });

  // However it is spelled, a number is the address that URL reads in it; no name is looked up.
  it.each([
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f.0.0.1/',
    'https://0177.0.0.1/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://169.254.169.254/latest/meta-data/',
    'https://[fd00:ec2::254]/',
    'https://①②⑦.⓪.⓪.①/',
  ])('%s is refused without a look-up', async (url) => {
    const lookedUp: string[] = [];
    const resolve = async (name: string) => {
      lookedUp.push(name);
      return [{ address: '1.1.1.1', family: 4 as const }];
    };
    await expect(reachable(new URL(url), 'public', resolve)).rejects.toMatchObject({ code: 'address_refused' });
    expect(lookedUp).toEqual([]);
  });

  it('a name that cannot be looked up is told as such', async () => {
    const failing = () => Promise.reject(Object.assign(new Error('no'), { code: 'ENOTFOUND' }));
    await expect(reachable(new URL('https://nowhere.invalid/'), 'public', failing)).rejects.toMatchObject({
      code: 'name_unresolved',
      message: 'nowhere.invalid cannot be looked up (ENOTFOUND)',
    });
  });
});

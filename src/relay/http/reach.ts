import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { isLoopbackAddress, isPublicAddress } from './addresses.ts';

/**
 * Which addresses may be called: `public` ones over HTTPS; those and this machine's own, also over plain HTTP; or any, where
 * whoever runs the relay has named the address.
 */
export type Reach = 'public' | 'public_and_loopback' | 'any';

export interface Address {
  address: string;
  family: 4 | 6;
}

/** Looks a name up: every address it has. */
export type Resolver = (name: string) => Promise<Address[]>;

/** This address, or this way of calling it, is refused. */
export class ReachRefused extends Error {
  readonly code: 'url_refused' | 'name_unresolved' | 'address_refused';

  constructor(code: ReachRefused['code'], message: string) {
    super(message);
    this.name = 'ReachRefused';
    this.code = code;
  }
}

export const systemResolver: Resolver = async (name) =>
  (await lookup(name, { all: true, order: 'verbatim' })) as Address[];

/**
 * The addresses of a URL's host, each of them checked; one that may not be called refuses them all, because which one
 * answers is the choice of whoever keeps the name.
 *
 * @throws ReachRefused
 */
export async function reachable(url: URL, reach: Reach, resolve: Resolver): Promise<Address[]> {
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new ReachRefused('url_refused', `${url.protocol} is not called`);
  }
  if (url.username || url.password) throw new ReachRefused('url_refused', 'the URL holds credentials');
  const addresses = await addressesOf(url, resolve);
  if (reach === 'any') return addresses;
  for (const { address } of addresses) {
    const loopback = isLoopbackAddress(address);
    if (!(reach === 'public_and_loopback' && loopback) && !isPublicAddress(address)) {
      throw new ReachRefused('address_refused', `${url.hostname} leads to ${address}, which is not a public address`);
    }
    if (url.protocol === 'http:' && !loopback) {
      throw new ReachRefused('url_refused', 'plain HTTP is spoken with this machine alone');
    }
  }
  return addresses;
}

async function addressesOf(url: URL, resolve: Resolver): Promise<Address[]> {
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const family = isIP(host);
  if (family !== 0) return [{ address: host, family: family as 4 | 6 }];
  const addresses = await resolve(host).catch((error: { code?: string }) => {
    throw new ReachRefused('name_unresolved', `${host} cannot be looked up (${error.code ?? 'unknown'})`);
  });
  if (addresses.length === 0) throw new ReachRefused('name_unresolved', `${host} has no address`);
  return addresses;
}

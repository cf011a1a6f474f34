import { BlockList, isIPv4, isIPv6 } from 'node:net';

// The special-purpose registries of IANA: what is not reachable from the public internet, or reaches something else by it.
const NOT_PUBLIC_IPV4 = [
  '0.0.0.0/8', // this network
  '10.0.0.0/8', // private
  '100.64.0.0/10', // shared by carriers, and clouds' metadata
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, and clouds' metadata
  '172.16.0.0/12', // private
  '192.0.0.0/24', // protocol assignments
  '192.0.2.0/24', // documentation
  '192.31.196.0/24', // AS112
  '192.52.193.0/24', // AMT
  '192.88.99.0/24', // 6to4 relays
  '192.168.0.0/16', // private
  '192.175.48.0/24', // AS112
  '198.18.0.0/15', // benchmarks
  '198.51.100.0/24', // documentation
  '203.0.113.0/24', // documentation
  '224.0.0.0/4', // multicast
  '240.0.0.0/4', // reserved, and broadcast
];

// Of IPv6 only global unicast is public; these lie within it and are not, or carry an IPv4 address of anybody's choice.
const GLOBAL_UNICAST = '2000::/3';
const NOT_PUBLIC_IPV6 = [
  '2001::/23', // protocol assignments: Teredo, ORCHID, benchmarks
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4
  '2620:4f:8000::/48', // AS112
  '3fff::/20', // documentation
];

function blocks(subnets: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList();
  for (const subnet of subnets) {
    const [network = '', bits] = subnet.split('/');
    list.addSubnet(network, Number(bits), family);
  }
  return list;
}

const notPublic4 = blocks(NOT_PUBLIC_IPV4, 'ipv4');
const globalUnicast = blocks([GLOBAL_UNICAST], 'ipv6');
const notPublic6 = blocks(NOT_PUBLIC_IPV6, 'ipv6');
const loopback4 = blocks(['127.0.0.0/8'], 'ipv4');
const loopback6 = blocks(['::1/128'], 'ipv6');
const mapped = blocks(['::ffff:0:0/96'], 'ipv6');

/** May this address be called from anywhere? */
export function isPublicAddress(address: string): boolean {
  const plain = plainAddress(address);
  if (isIPv4(plain)) return !notPublic4.check(plain, 'ipv4');
  return isIPv6(plain) && globalUnicast.check(plain, 'ipv6') && !notPublic6.check(plain, 'ipv6');
}

export function isLoopbackAddress(address: string): boolean {
  const plain = plainAddress(address);
  return isIPv4(plain) ? loopback4.check(plain, 'ipv4') : isIPv6(plain) && loopback6.check(plain, 'ipv6');
}

/** An IPv4 address in IPv6 clothes is judged as what is called; an address with a zone is of one link, and none here. */
function plainAddress(address: string): string {
  if (address.includes('%')) return '';
  if (!isIPv6(address) || !mapped.check(address, 'ipv6')) return address;
  // URL writes the last 32 bits as two groups of hexadecimal digits, whatever they came in.
  const [high = '0', low = '0'] = new URL(`http://[${address}]`).hostname.slice(1, -1).split(':').slice(-2);
  const bits = Number.parseInt(high, 16) * 65_536 + Number.parseInt(low, 16);
  return [24, 16, 8, 0].map((shift) => Math.floor(bits / 2 ** shift) % 256).join('.');
}

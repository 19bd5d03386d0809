/**
 * IP addresses and networks. Limits count per IPv4 address, or per /64 for IPv6, which usually belongs to one
 * household.
 */
import { BlockList, isIP, isIPv6 } from 'node:net';

const GROUPS = 8;
const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** Text that is not an address is used unchanged, but truncated. */
export function networkOf(address: string): string {
  const plain = MAPPED_IPV4.exec(address)?.[1] ?? address.split('%')[0] ?? '';
  if (isIP(plain) !== 6) return plain.slice(0, 64);
  return `${groupsOf(plain)
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** The eight groups of a valid IPv6 address without a zone; its last two may be written as an IPv4 address. */
export function groupsOf(address: string): number[] {
  const [head = '', tail] = address
    .replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...parts: string[]) => {
      const [one = 0, two = 0, three = 0, four = 0] = parts.slice(0, 4).map(Number);
      return `${(one * 256 + two).toString(16)}:${(three * 256 + four).toString(16)}`;
    })
    .split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: tail === undefined ? 0 : GROUPS - before.length - after.length }, () => '0');
  return [...before, ...zeros, ...after].map((group) => Number.parseInt(group, 16));
}

/** True if a text is an address, or a network such as `10.0.0.0/8`. */
export function isNetwork(text: string): boolean {
  const [address = '', prefix, ...more] = text.split('/');
  const bitsMax = isIP(address) === 6 ? 128 : 32;
  return (
    isIP(address) !== 0 &&
    more.length === 0 &&
    (prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bitsMax))
  );
}

/** Addresses and networks accepted by {@link isNetwork}. An IPv4-mapped IPv6 address matches IPv4 networks. */
export function blockListOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix] = network.split('/');
    if (prefix === undefined) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, Number(prefix), familyOf(address));
  }
  return list;
}

export function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIPv6(address) ? 'ipv6' : 'ipv4';
}

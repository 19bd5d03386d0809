/** The network that limits count by: an IPv4 address, or the /64 of an IPv6 address, which one household has whole. */
import { isIP } from 'node:net';

const GROUPS = 8;
const MAPPED_IPV4 = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i;

/** A text that is no address stands for itself, cut. */
export function networkOf(address: string): string {
  const plain = MAPPED_IPV4.exec(address)?.[1] ?? address.split('%')[0] ?? '';
  if (isIP(plain) !== 6) return plain.slice(0, 64);
  const [head = '', tail] = plain.replace(/\d+\.\d+\.\d+\.\d+$/, '0:0').split('::');
  const before = head === '' ? [] : head.split(':');
  const after = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = Array.from({ length: tail === undefined ? 0 : GROUPS - before.length - after.length }, () => '0');
  return `${[...before, ...zeros, ...after]
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
}

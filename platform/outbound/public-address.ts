/**
 * Determines which addresses are public. Addresses in the IANA special-purpose registries (RFC 6890) and cloud-internal
 * ones are not.
 */
import { isIP } from 'node:net';
import { blockListOf, groupsOf } from '../network-of.ts';

const NOT_PUBLIC_IPV4 = blockListOf([
  '0.0.0.0/8',
  '10.0.0.0/8',
  // Carrier-grade NAT, and metadata of Alibaba Cloud.
  '100.64.0.0/10',
  '127.0.0.0/8',
  // Link-local, and metadata of most clouds.
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
  // Azure's configuration endpoint, at a public address.
  '168.63.129.16',
]);

/** Only IPv6 global unicast is public, without the ranges for protocols, documentation, Teredo and 6to4. */
const GLOBAL_UNICAST = blockListOf(['2000::/3']);
const NOT_PUBLIC_IPV6 = blockListOf(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);

/**
 * An address as returned by a resolver. IPv6 addresses that embed an IPv4 address (mapped, NAT64) count as that
 * address.
 */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 4) return !NOT_PUBLIC_IPV4.check(address, 'ipv4');
  if (isIP(address) !== 6 || address.includes('%')) return false;
  const embedded = embeddedIpv4(groupsOf(address));
  if (embedded !== null) return isPublicAddress(embedded);
  return GLOBAL_UNICAST.check(address, 'ipv6') && !NOT_PUBLIC_IPV6.check(address, 'ipv6');
}

/** `::ffff:0:0/96` (RFC 4291, section 2.5.5.2) and `64:ff9b::/96` (RFC 6052, section 2.1). */
function embeddedIpv4(groups: readonly number[]): string | null {
  const prefix = groups
    .slice(0, 6)
    .map((group) => group.toString(16))
    .join(':');
  if (prefix !== '0:0:0:0:0:ffff' && prefix !== '64:ff9b:0:0:0:0') return null;
  const [high = 0, low = 0] = groups.slice(6);
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

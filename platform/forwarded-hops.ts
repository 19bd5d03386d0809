/** Reads `X-Forwarded-For` as proxies write it: addresses, some with a port, brackets or quotes. */
import { isIP } from 'node:net';

/** Accepts `1.2.3.4`, `1.2.3.4:80`, `::1`, `[::1]`, `[::1]:80`, each also in quotes; null for anything else. */
export function readHop(text: string): string | null {
  const plain = text.trim().replace(/^"(.*)"$/, '$1');
  const address = /^\[([^\]]*)\](?::\d{1,5})?$/.exec(plain)?.[1] ?? /^([\d.]+):\d{1,5}$/.exec(plain)?.[1] ?? plain;
  return isIP(address.split('%', 1)[0] ?? '') === 0 ? null : address;
}

/** The hops after the last unreadable one. If a proxy wrote something unreadable, its own address is used instead. */
export function readableHops(header: string): { readonly hops: readonly string[]; readonly unreadable: string | null } {
  const sent = header.split(',');
  const hops: string[] = [];
  for (const text of sent.toReversed()) {
    const hop = readHop(text);
    if (hop === null) return { hops, unreadable: text.trim() };
    hops.unshift(hop);
  }
  return { hops, unreadable: null };
}

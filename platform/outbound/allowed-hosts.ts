/** Private hosts that outbound requests may reach: `OUTBOUND_ALLOWED_HOSTS`. */
import type { BlockList } from 'node:net';
import { blockListOf, familyOf, isNetwork } from '../network-of.ts';

const HOST = /^(?:\[[0-9a-f:.]+\]|[a-z0-9_](?:[a-z0-9._-]*[a-z0-9_])?)(?::\d{1,5})?$/i;

export interface AllowedHosts {
  /** In lower case, with or without a port; IPv6 addresses in brackets. */
  readonly hosts: ReadonlySet<string>;
  readonly networks: BlockList;
}

/** `hooks.internal`, `hooks.internal:8443`, `10.0.0.7`, `[::1]:8080`, `10.0.0.0/8`. */
export function isAllowedHost(text: string): boolean {
  return isNetwork(text) || HOST.test(text);
}

/** Every entry must satisfy {@link isAllowedHost}. */
export function readAllowedHosts(entries: readonly string[]): AllowedHosts {
  return {
    hosts: new Set(entries.filter((entry) => !isNetwork(entry)).map((entry) => entry.toLowerCase())),
    networks: blockListOf(entries.filter(isNetwork)),
  };
}

/** Decides by name, whatever it resolves to. `hostname` is written as in a URL, IPv6 addresses in brackets. */
export function isHostAllowed({ hosts }: AllowedHosts, hostname: string, port: number): boolean {
  return hosts.has(hostname) || hosts.has(`${hostname}:${port}`);
}

export function isAddressAllowed({ networks }: AllowedHosts, address: string): boolean {
  return networks.check(address, familyOf(address));
}

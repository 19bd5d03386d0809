/** The relying party of passkeys: the host and origin of the pages. Authenticators and browsers bind passkeys to it. */
import { isIP } from 'node:net';

export interface RelyingParty {
  /** A host name (WebAuthn, section 4). */
  readonly id: string;
  readonly origin: string;
}

/** `null` for an IP address such as `127.0.0.1`: browsers create passkeys for host names only. */
export function relyingPartyOf(appUrl: string): RelyingParty | null {
  const { hostname, origin } = new URL(appUrl);
  return isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? { id: hostname, origin } : null;
}

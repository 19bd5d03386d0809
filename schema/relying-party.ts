/** For whom passkeys are made: the host and the origin at which people reach the pages. Authenticators and browsers bind them to it. */
import { isIP } from 'node:net';

export interface RelyingParty {
  /** A host name (WebAuthn, section 4). */
  readonly id: string;
  readonly origin: string;
}

/** `null`: browsers make passkeys for names alone, never for an address such as `127.0.0.1`. */
export function relyingPartyOf(appUrl: string): RelyingParty | null {
  const { hostname, origin } = new URL(appUrl);
  return isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? { id: hostname, origin } : null;
}

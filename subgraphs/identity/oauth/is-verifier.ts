/** PKCE (RFC 7636, section 4.6): the client that redeems a code is the one that requested it. */
import { hash, timingSafeEqual } from 'node:crypto';

const VERIFIER = /^[A-Za-z0-9._~-]{43,128}$/;

/** True if the SHA-256 of the verifier is the challenge, in base64url. Compares in constant time. */
export function isVerifier(verifier: string, challenge: string): boolean {
  if (!VERIFIER.test(verifier)) return false;
  const expected = Buffer.from(challenge);
  const input = Buffer.from(hash('sha256', verifier, 'base64url'));
  return expected.length === input.length && timingSafeEqual(expected, input);
}

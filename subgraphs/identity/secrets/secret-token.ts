/** Secret tokens of 256 random bits: sessions, attempts, authorization codes, device codes. */
import { hash } from 'node:crypto';

const FORMAT = /^[A-Za-z0-9_-]{43}$/;

/** `random` must be 32 fresh random bytes. */
export function makeSecretToken(random: Buffer): string {
  return random.toString('base64url');
}

/** Malformed text never reaches the database. */
export function hasSecretTokenFormat(text: string): boolean {
  return FORMAT.test(text);
}

/** The stored form of a token; 256 bits of randomness need no slow hash. */
export function hashSecretToken(token: string): Buffer {
  return hash('sha256', token, 'buffer');
}

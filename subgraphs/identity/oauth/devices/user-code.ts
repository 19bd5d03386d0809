/**
 * The code that a person types to connect a device (RFC 8628, section 6.1): eight letters without vowels and
 * similar-looking letters.
 */
import { createHmac } from 'node:crypto';

const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;
const FORMAT = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`);

/** Displayed form: `XXXX-XXXX`. `randomInt` returns a uniform integer in `[0, below)`. */
export function makeUserCode(randomInt: (below: number) => number): string {
  const letters = Array.from({ length: LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
  return presentUserCode(letters);
}

/** Formats eight letters for display. */
export function presentUserCode(letters: string): string {
  return `${letters.slice(0, LENGTH / 2)}-${letters.slice(LENGTH / 2)}`;
}

/** Removes hyphen and spaces and converts to upper case. Returns `null` for text that cannot be a code. */
export function readUserCode(typed: string): string | null {
  const letters = typed.toUpperCase().replaceAll(/[\s-]/g, '');
  return FORMAT.test(letters) ? letters : null;
}

/** The stored form of a code returned by {@link readUserCode}. */
export function hashUserCode(letters: string, key: Buffer): Buffer {
  return createHmac('sha256', key).update(letters).digest();
}

/** The code that a person types to let a device in (RFC 8628, section 6.1): eight letters, no vowels, nothing that looks alike. */
import { createHmac } from 'node:crypto';

const ALPHABET = 'BCDFGHJKLMNPQRSTVWXZ';
const LENGTH = 8;
const FORMAT = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`);

/** As it is shown: `XXXX-XXXX`. `randomInt` gives a uniform integer in `[0, below)`. */
export function makeUserCode(randomInt: (below: number) => number): string {
  const letters = Array.from({ length: LENGTH }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('');
  return presentUserCode(letters);
}

/** Eight letters as they are shown. */
export function presentUserCode(letters: string): string {
  return `${letters.slice(0, LENGTH / 2)}-${letters.slice(LENGTH / 2)}`;
}

/** Without hyphen and spaces, in upper case; `null` when it cannot be a code. */
export function readUserCode(typed: string): string | null {
  const letters = typed.toUpperCase().replaceAll(/[\s-]/g, '');
  return FORMAT.test(letters) ? letters : null;
}

/** What is kept of a code that {@link readUserCode} gave. */
export function hashUserCode(letters: string, key: Buffer): Buffer {
  return createHmac('sha256', key).update(letters).digest();
}

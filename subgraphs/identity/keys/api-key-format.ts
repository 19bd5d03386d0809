/** Format of API keys, so that malformed text never reaches the database (decision 9, D52). */
import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const PREFIX_LENGTH = 8;
const RANDOM_LENGTH = 34;
const CHECKSUM_LENGTH = 6;
const CHECKED_LENGTH = PREFIX_LENGTH + RANDOM_LENGTH;
const SHAPE = /^sk_(?:live|test)_[0-9A-Za-z]{40}$/;

export type KeyEnvironment = 'live' | 'test';

/**
 * Creates a key in plaintext: 48 characters, 202 bits of randomness. It exists only in the response that reveals it.
 * `randomInt` returns a uniform integer in `[0, below)`.
 */
export function makeApiKey(environment: KeyEnvironment, randomInt: (below: number) => number): string {
  let checked = environment === 'test' ? 'sk_test_' : 'sk_live_';
  while (checked.length < CHECKED_LENGTH) checked += ALPHABET.charAt(randomInt(ALPHABET.length));
  return checked + checksum(checked);
}

/** Checks the format and checksum of a key, not whether it exists. */
export function hasKeyFormat(text: string): boolean {
  return SHAPE.test(text) && checksum(text.slice(0, CHECKED_LENGTH)) === text.slice(CHECKED_LENGTH);
}

/** The environment named in a key. Only for text in the right format. */
export function environmentOf(key: string): KeyEnvironment {
  return key.startsWith('sk_test_') ? 'test' : 'live';
}

/** The stored form of a key: its raw SHA-256, 32 bytes. 202 bits of randomness need no slow hash. */
export function hashApiKey(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

/** CRC-32 of the text as six base62 digits, most significant first, padded with `0`. */
function checksum(text: string): string {
  let rest = crc32(text);
  let digits = '';
  while (digits.length < CHECKSUM_LENGTH) {
    digits = ALPHABET.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

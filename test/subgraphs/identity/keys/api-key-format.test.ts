import { createHash, randomInt } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  environmentOf,
  hashApiKey,
  hasKeyFormat,
  makeApiKey,
} from '../../../../subgraphs/identity/keys/api-key-format.ts';

describe.each(['live', 'test'] as const)('a new %s key', (environment) => {
  test('has 48 characters, its prefix, and a valid checksum', () => {
    for (let round = 0; round < 200; round++) {
      const key = makeApiKey(environment, randomInt);
      expect(key).toMatch(new RegExp(`^sk_${environment}_[0-9A-Za-z]{40}$`));
      expect(hasKeyFormat(key)).toBe(true);
      expect(environmentOf(key)).toBe(environment);
    }
  });

  test('is never generated twice', () => {
    expect(new Set(Array.from({ length: 500 }, () => makeApiKey(environment, randomInt))).size).toBe(500);
  });
});

test('the checksum is base62 of CRC-32, most significant digit first, padded', () => {
  // CRC-32 of the 42 characters is 0xdda89bbf, computed independently of this code.
  const checked = `sk_${'live'}_${'0'.repeat(34)}`;
  const crc = 0xdda89bbf;
  expect(hasKeyFormat(checked + base62(crc))).toBe(true);
});

test('any single changed character is detected', () => {
  const key = makeApiKey('live', randomInt);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 47 }), fc.stringMatching(/^[0-9A-Za-z_]$/), (at, character) => {
      fc.pre(key[at] !== character);
      expect(hasKeyFormat(key.slice(0, at) + character + key.slice(at + 1))).toBe(false);
    }),
  );
});

test('the checksum covers the environment', () => {
  expect(hasKeyFormat(makeApiKey('live', randomInt).replace('live', 'test'))).toBe(false);
});

test('text around a key makes it invalid', () => {
  const key = makeApiKey('test', randomInt);
  for (const text of [`${key}\n`, ` ${key}`, `${key} `, `${key}0`, key.slice(0, -1), key.toUpperCase(), '']) {
    expect(hasKeyFormat(text)).toBe(false);
  }
});

test('arbitrary text is not a key', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => !hasKeyFormat(text)));
});

test('the stored form is the raw SHA-256', () => {
  const key = makeApiKey('live', randomInt);
  expect(hashApiKey(key)).toEqual(createHash('sha256').update(key).digest());
});

function base62(value: number): string {
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  return Array.from({ length: 6 }, (_, index) => alphabet[Math.floor(value / 62 ** (5 - index)) % 62]).join('');
}

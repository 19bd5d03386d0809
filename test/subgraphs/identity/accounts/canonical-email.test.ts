import fc from 'fast-check';
import { expect, test } from 'vitest';
import { canonicalEmail } from '../../../../subgraphs/identity/accounts/canonical-email.ts';

test.each([
  ['Ada@Example.COM', 'ada@example.com'],
  ['  ada@example.com\n', 'ada@example.com'],
  ['e\u0301va@example.com', '\u00e9va@example.com'],
  ['ada+books@sub.example.com', 'ada+books@sub.example.com'],
])('%j is %j', (typed, canonical) => expect(canonicalEmail(typed)).toBe(canonical));

test.each([
  '',
  'ada',
  '@example.com',
  'ada@',
  'ada@@example.com',
  'ada@example..com',
  'a da@example.com',
  'a\0da@example.com',
  'a\u200bda@example.com',
  'ada\u202e@example.com',
  '\ud800da@example.com',
  `${'a'.repeat(65)}@example.com`,
  `a@${'b'.repeat(253)}.com`,
])('%j is not an address', (typed) => expect(canonicalEmail(typed)).toBeNull());

test('a canonical address is its own canonical address', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (name) => {
      const canonical = canonicalEmail(`${name}@example.com`);
      if (canonical !== null) expect(canonicalEmail(canonical)).toBe(canonical);
    }),
  );
});

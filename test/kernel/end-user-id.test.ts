import { createHash, randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { endUserId } from '#kernel/end-user-id.ts';

/** Results of Python's `uuid.uuid5`; the first is the example in RFC 9562, appendix A.4. */
test.each([
  ['6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'www.example.com', '2ed6657d-e927-568b-95e1-2665a8aea6a2'],
  ['6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'WWW.example.com', 'ceb6936f-3062-5831-8f42-c7d000fbdb2d'],
  ['0190b8e1-7c3a-7c43-9d3e-1f2b3c4d5e6f', 'customer_12345', '3901c2f7-8f8d-5e8c-a4ed-a6c8507d09d4'],
  ['0190b8e1-7c3a-7c43-9d3e-1f2b3c4d5e6f', ' Ünïted 🙂 ', 'b2530d9a-7663-56a2-8fc2-523cbaf7c859'],
  ['ffffffff-ffff-ffff-ffff-ffffffffffff', '0', '3127a5db-4d56-5264-bb59-035fe36bd275'],
])('%s with "%s" is %s', (organizationId, externalId, id) => {
  expect(endUserId(organizationId, externalId)).toBe(id);
  expect(endUserId(organizationId.toUpperCase(), externalId)).toBe(id);
});

test('the id of an end user is the SHA-1 of namespace and name with version and variant set, for any text', () => {
  fc.assert(
    fc.property(fc.uuid(), fc.string({ unit: 'grapheme', maxLength: 300 }), (organizationId, externalId) => {
      const digest = createHash('sha1')
        .update(Buffer.from(organizationId.replaceAll('-', ''), 'hex'))
        .update(externalId, 'utf8')
        .digest()
        .subarray(0, 16);
      digest[6] = (digest[6]! & 0x0f) | 0x50;
      digest[8] = (digest[8]! & 0x3f) | 0x80;
      expect(endUserId(organizationId, externalId).replaceAll('-', '')).toBe(digest.toString('hex'));
    }),
  );
});

test('ids of end users stay correct for more organizations than are cached', () => {
  const first = endUserId('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'x');
  for (let count = 0; count < 2100; count++) endUserId(randomUUID(), 'x');
  expect(endUserId('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'x')).toBe(first);
});

test.each(['', 'x', '6ba7b8109dad11d180b400c04fd430c8', '{6ba7b810-9dad-11d1-80b4-00c04fd430c8}'])(
  '"%s" is not an organization',
  (organizationId) => {
    expect(() => endUserId(organizationId, 'x')).toThrow(TypeError);
  },
);

import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SIGNATURE_FAILURES, verifySignature } from '#platform/verify-signature.ts';

const NOW = 1_790_000_000;
const KEY = 'the key of the caller';
const BODY = Buffer.from('[{"idempotency_key":"a",  "model":"m"}]');

function sign(timestamp: string, body: Uint8Array = BODY, key = KEY): string {
  return `v1=${createHmac('sha256', key).update(timestamp).update('.').update(body).digest('hex')}`;
}

function verdict(change: Partial<Parameters<typeof verifySignature>[0]> = {}): string | null {
  const timestamp = String(NOW);
  return verifySignature({
    timestamp,
    signature: sign(timestamp),
    rawBody: BODY,
    apiKey: KEY,
    nowSeconds: NOW,
    ...change,
  });
}

test('a request signed recently by the holder of the key passes', () => {
  expect(verdict()).toBeNull();
});

test('the digest is the documented one', () => {
  // echo -n '1790000000.{}' | openssl dgst -sha256 -hmac key
  const known = 'v1=099d33989336226b12c85da813adf6100e1bbab1e91bede9a41ddeb7882d66b8';
  expect(verdict({ signature: known, rawBody: Buffer.from('{}'), apiKey: 'key' })).toBeNull();
});

test('upper-case hex is accepted, an upper-case scheme is not', () => {
  const digest = sign(String(NOW)).slice(3);
  expect(verdict({ signature: `v1=${digest.toUpperCase()}` })).toBeNull();
  expect(verdict({ signature: `V1=${digest}` })).toBe(SIGNATURE_FAILURES.mismatch);
});

test.each(Array.from({ length: 64 }, (_, place) => place))(
  'a changed digit %i of the signature is detected',
  (place) => {
    const digits = [...sign(String(NOW)).slice('v1='.length)];
    digits[place] = digits[place] === '0' ? '1' : '0';
    expect(verdict({ signature: `v1=${digits.join('')}` })).toBe(SIGNATURE_FAILURES.mismatch);
  },
);

test.each([
  [-301, 'stale'],
  [-300, null],
  [0, null],
  [300, null],
  [301, 'stale'],
] as const)('a timestamp that differs by %i s from the server time gives the failure %s', (offset, failure) => {
  const timestamp = String(NOW + offset);
  expect(verdict({ timestamp, signature: sign(timestamp) })).toBe(failure && SIGNATURE_FAILURES[failure]);
  expect(verdict({ timestamp, signature: sign(timestamp), nowSeconds: NOW + 0.999 })).toBe(
    failure && SIGNATURE_FAILURES[failure],
  );
});

describe('a header is missing', () => {
  test.each([{ timestamp: undefined }, { signature: undefined }, { timestamp: '' }, { signature: '' }])(
    '%o',
    (change) => {
      expect(verdict(change)).toBe(SIGNATURE_FAILURES.missing);
    },
  );
});

describe('a timestamp is stale', () => {
  test.each([`${NOW} `, `+${NOW}`, `${NOW}.0`, `${NOW}000`, '-1', '1e9', 'now', `${NOW}\n`, '٣', `${NOW}, ${NOW}`])(
    '%j',
    (timestamp) => {
      expect(verdict({ timestamp, signature: sign(timestamp) })).toBe(SIGNATURE_FAILURES.stale);
    },
  );

  test('if it is sent twice', () => {
    expect(verdict({ timestamp: [String(NOW), String(NOW)] })).toBe(SIGNATURE_FAILURES.stale);
  });
});

describe('a signature does not match', () => {
  const right = sign(String(NOW));
  test.each([
    ['no scheme', { signature: right.slice(3) }],
    ['a digit short', { signature: right.slice(0, -1) }],
    ['a digit more', { signature: `${right}0` }],
    ['not hex', { signature: `v1=${'g'.repeat(64)}` }],
    ['two signatures', { signature: `${right}, ${right}` }],
    ['a repeated header', { signature: [right, right] }],
    ['another key', { signature: sign(String(NOW), BODY, 'another') }],
    ['another timestamp', { signature: sign(String(NOW - 1)) }],
    ['the same JSON written again', { rawBody: Buffer.from(JSON.stringify(JSON.parse(BODY.toString()))) }],
    ['a body cut short', { rawBody: BODY.subarray(1) }],
  ])('%s', (_, change) => {
    expect(verdict(change)).toBe(SIGNATURE_FAILURES.mismatch);
  });
});

test('any bytes can be signed, and any flipped bit is detected', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 1, maxLength: 200 }), fc.nat(), (bytes, at) => {
      const signature = sign(String(NOW), bytes);
      expect(verdict({ rawBody: bytes, signature })).toBeNull();
      const changed = Uint8Array.from(bytes);
      changed[at % bytes.length]! ^= 1 << (at % 8);
      expect(verdict({ rawBody: changed, signature })).toBe(SIGNATURE_FAILURES.mismatch);
    }),
  );
});

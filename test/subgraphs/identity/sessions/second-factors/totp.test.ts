import { expect, test } from 'vitest';
import { base32 } from '../../../../../subgraphs/identity/secrets/base32.ts';
import {
  matchingStep,
  otpauthUri,
  stepAt,
  totpCode,
} from '../../../../../subgraphs/identity/sessions/second-factors/totp.ts';

const SECRET = Buffer.from('12345678901234567890');

/** RFC 6238, appendix B (the last six of its eight digits). */
test.each([
  [59, '287082'],
  [1_111_111_109, '081804'],
  [1_111_111_111, '050471'],
  [1_234_567_890, '005924'],
  [2_000_000_000, '279037'],
  [20_000_000_000, '353130'],
])('at second %d the code is %s', (second, code) => {
  expect(totpCode(SECRET, stepAt(new Date(second * 1000)))).toBe(code);
});

test('a code is accepted one step early or late, and never a second time', () => {
  const time = new Date('2026-01-01T00:00:00Z');
  const step = stepAt(time);
  const taken = [-2, -1, 0, 1, 2].map((drift) => matchingStep(SECRET, totpCode(SECRET, step + drift), time, 0));
  expect(taken).toEqual([null, step - 1, step, step + 1, null]);
  expect(matchingStep(SECRET, totpCode(SECRET, step), time, step)).toBeNull();
  expect(matchingStep(SECRET, totpCode(SECRET, step - 1), time, step)).toBeNull();
});

test.each(['', '12345', '1234567', '12 456', '١٢٣٤٥٦', 'abcdef'])('%j is not a code', (text) => {
  expect(matchingStep(SECRET, text, new Date(0), -10)).toBeNull();
});

/** RFC 4648, section 10. */
test.each([
  ['', ''],
  ['f', 'MY'],
  ['fo', 'MZXQ'],
  ['foo', 'MZXW6'],
  ['foob', 'MZXW6YQ'],
  ['fooba', 'MZXW6YTB'],
  ['foobar', 'MZXW6YTBOI'],
])('%j in base32 is %j', (text, encoded) => {
  expect(base32(Buffer.from(text))).toBe(encoded);
});

test('an authenticator app shows issuer and account', () => {
  expect(otpauthUri(SECRET, 'books.example:8080', 'a+b@example.com')).toBe(
    'otpauth://totp/books.example%3A8080:a%2Bb%40example.com?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=books.example%3A8080&algorithm=SHA1&digits=6&period=30',
  );
});

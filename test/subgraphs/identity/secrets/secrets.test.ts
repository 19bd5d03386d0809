import { randomBytes, randomInt } from 'node:crypto';
import { expect, test } from 'vitest';
import { ARGON2 } from '../../../../subgraphs/identity/config.ts';
import {
  UNMATCHED_PASSWORD,
  hashPassword,
  isPassword,
  takeTurns,
} from '../../../../subgraphs/identity/secrets/hash-password.ts';
import { isVerifier } from '../../../../subgraphs/identity/oauth/is-verifier.ts';
import {
  hashRecoveryCode,
  makeRecoveryCode,
} from '../../../../subgraphs/identity/sessions/second-factors/recovery-code.ts';
import { makeUserCode, readUserCode } from '../../../../subgraphs/identity/oauth/devices/user-code.ts';

test('a password is stored as a PHC string of argon2id, with 19 MiB, two passes and one lane', async () => {
  const stored = await hashPassword('correct horse', randomBytes(ARGON2.saltLength));
  expect(stored).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  expect([
    await isPassword('correct horse', stored),
    await isPassword('wrong horse', stored),
    await isPassword('correct horse', UNMATCHED_PASSWORD),
    await isPassword('x', 'x'),
  ]).toEqual([true, false, false, false]);
});

/** RFC 7636, appendix B. */
test('a verifier matches its challenge', () => {
  const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';
  expect(isVerifier(verifier, 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM')).toBe(true);
  expect([
    isVerifier(verifier, verifier),
    isVerifier('', ''),
    isVerifier(`${verifier}=`, 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'),
  ]).toEqual([false, false, false]);
});

test('a recovery code has 80 bits and does not work for another account user', () => {
  const code = makeRecoveryCode(randomBytes(10));
  const key = randomBytes(32);
  expect(code).toMatch(/^([A-Z2-7]{4}-){3}[A-Z2-7]{4}$/);
  expect(hashRecoveryCode(` ${code.toLowerCase()}`, 'one', key).equals(hashRecoveryCode(code, 'one', key))).toBe(true);
  expect(hashRecoveryCode(code, 'one', key).equals(hashRecoveryCode(code, 'other', key))).toBe(false);
});

test.each([
  ['bcdf-ghjk', 'BCDFGHJK'],
  [' BCDF GHJK ', 'BCDFGHJK'],
  ['BCDFGHJ', null],
  ['BCDFGHJKL', null],
  ['ABCDFGHJ', null],
  ['BCDF-GHJ1', null],
  ['', null],
])('%j is read as %j', (typed, letters) => {
  expect(readUserCode(typed)).toBe(letters);
});

test('user codes are displayed legibly', () => {
  const code = makeUserCode(randomInt);
  expect(readUserCode(code)).toBe(code.replace('-', ''));
});

test('only a limited number of hashes are computed at once, and every one is computed', async () => {
  const inTurn = takeTurns(4);
  let running = 0;
  let most = 0;
  const done = await Promise.all(
    Array.from({ length: 30 }, (_, index) =>
      inTurn(async () => {
        running += 1;
        most = Math.max(most, running);
        await new Promise((resolve) => setImmediate(resolve));
        running -= 1;
        return index;
      }),
    ),
  );
  expect([most, done]).toEqual([4, Array.from({ length: 30 }, (_, index) => index)]);
  await expect(inTurn(() => Promise.reject(new Error('a fault')))).rejects.toThrow('a fault');
  expect(await inTurn(async () => 'still open')).toBe('still open');
});

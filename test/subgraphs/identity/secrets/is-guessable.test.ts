import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { checkPassword, isGuessable } from '../../../../subgraphs/identity/accounts/check-account.ts';

test.each([
  '12345678',
  'password',
  'PassWord',
  ' qwertyuiop ',
  'password2026!',
  'iloveyou',
  'aaaaaaaaaaaa',
  '\uff50assword',
  'ada@example.com',
  'ADA@example.com1',
  'adalovelace',
  'AdaLovelace1815',
])('%j is guessable', (password) =>
  expect(isGuessable(password, ['ada@example.com', 'adalovelace@example.com'])).toBe(true),
);

test.each(['correct horse battery staple', 'a password of a member', 'quite another password', '4-Tulips-under-Glass'])(
  '%j is not guessable',
  (password) => {
    expect(isGuessable(password, ['ada@example.com', ''])).toBe(false);
  },
);

test('generated passwords are not guessable', () => {
  for (let count = 0; count < 1_000; count += 1)
    expect(isGuessable(randomBytes(18).toString('base64url'), ['owner@example.com'])).toBe(false);
});

test('a password known from breaches is refused with an explanation', () => {
  expect(() => checkPassword('password', 'Password123', 'ada@example.com')).toThrow('too common');
  expect(checkPassword('password', 'correct horse battery staple', 'ada@example.com')).toBe(
    'correct horse battery staple',
  );
});

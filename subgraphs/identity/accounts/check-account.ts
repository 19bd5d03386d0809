/** Validates names, e-mail addresses and passwords. */
import { dictionary } from '@zxcvbn-ts/language-common';
import { fail } from '#kernel/errors.ts';
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from '../config.ts';
import { canonicalEmail } from './canonical-email.ts';

/** From a bundled list, so no network request is made. In lower case. */
const KNOWN_PASSWORDS: ReadonlySet<string> = new Set(
  dictionary['passwords-common'].filter(({ length }) => length >= PASSWORD_LENGTH_MIN),
);

const NAME_LENGTH_MAX = 255;

/** Trims the name. Fails with the field's name if it is empty, too long or contains control characters. */
export function checkName(field: string, input: string): string {
  const name = input.trim();
  if (name === '' || [...name].length > NAME_LENGTH_MAX)
    fail('VALIDATION_ERROR', `${field} must have 1 to ${NAME_LENGTH_MAX} characters`);
  if (/\p{Cc}/u.test(name) || !name.isWellFormed())
    fail('VALIDATION_ERROR', `${field} contains characters that are not allowed`);
  return name;
}

/**
 * Normalizes the address: two spellings of an address are one account. `field` is the argument that an error refers
 * to.
 */
export function checkEmail(field: string, input: string): string {
  return canonicalEmail(input) ?? fail('VALIDATION_ERROR', 'The e-mail address is not valid', { field });
}

/**
 * Fails with `VALIDATION_ERROR`. `field` is the argument that the error refers to. `own` contains the account's own
 * texts, for example its e-mail address, which are not accepted as a password.
 */
export function checkPassword(field: string, password: string, ...own: readonly string[]): string {
  const { length } = [...password];
  if (length < PASSWORD_LENGTH_MIN || length > PASSWORD_LENGTH_MAX) {
    fail('VALIDATION_ERROR', `The password must have ${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX} characters`, {
      field,
    });
  }
  if (isGuessable(password, own)) fail('VALIDATION_ERROR', 'This password is too common: choose another', { field });
  return password;
}

/**
 * Detects passwords that an attacker tries first: known from breaches, one repeated character, or public texts of the
 * account (`own`).
 *
 * Capital letters, surrounding spaces, and trailing digits or symbols do not make a known password acceptable.
 */
export function isGuessable(password: string, own: readonly string[]): boolean {
  const plain = password.normalize('NFKC').trim().toLowerCase();
  const stem = plain.replace(/[\d\p{P}\p{S}]+$/u, '');
  if (KNOWN_PASSWORDS.has(plain) || KNOWN_PASSWORDS.has(stem) || new Set(plain).size === 1) return true;
  return own
    .flatMap((text) => [text.toLowerCase(), text.toLowerCase().split('@', 1)[0] ?? ''])
    .some((text) => text !== '' && (plain === text || stem === text));
}

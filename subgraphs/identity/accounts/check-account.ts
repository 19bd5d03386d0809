/** What names, e-mail addresses and passwords of people and organizations may look like. */
import { dictionary } from '@zxcvbn-ts/language-common';
import { fail } from '../../../schema/errors.ts';
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from '../config.ts';
import { canonicalEmail } from './canonical-email.ts';

/** Bundled with the package: nothing is asked of anybody. In lower case. */
const KNOWN_PASSWORDS: ReadonlySet<string> = new Set(
  dictionary['passwords-common'].filter(({ length }) => length >= PASSWORD_LENGTH_MIN),
);

const NAME_LENGTH_MAX = 255;

/** Trimmed; fails with the field's name when empty, too long or with control characters. */
export function checkName(field: string, input: string): string {
  const name = input.trim();
  if (name === '' || [...name].length > NAME_LENGTH_MAX)
    fail('VALIDATION_ERROR', `${field} must have 1 to ${NAME_LENGTH_MAX} characters`);
  if (/\p{Cc}/u.test(name) || !name.isWellFormed())
    fail('VALIDATION_ERROR', `${field} holds characters that are not allowed`);
  return name;
}

/** In its one spelling: two spellings of an address are one account. `field`: the argument that a failure is about. */
export function checkEmail(field: string, input: string): string {
  return canonicalEmail(input) ?? fail('VALIDATION_ERROR', 'The e-mail address is not valid', { field });
}

/** `field`: the argument that a failure is about. `own` are texts of the account, such as its e-mail address: they are no password. Fails with `VALIDATION_ERROR`. */
export function checkPassword(field: string, password: string, ...own: readonly string[]): string {
  const { length } = [...password];
  if (length < PASSWORD_LENGTH_MIN || length > PASSWORD_LENGTH_MAX) {
    fail('VALIDATION_ERROR', `The password must have ${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX} characters`, {
      field,
    });
  }
  if (isGuessable(password, own))
    fail('VALIDATION_ERROR', 'This password is one of the first that a guesser tries: choose another', { field });
  return password;
}

/**
 * Passwords that a guesser tries first: known from breaches, one character over and over, or what everybody knows of the account.
 *
 * Capital letters, space around it and digits or signs after it make a known password no better. `own` are texts of the account.
 */
export function isGuessable(password: string, own: readonly string[]): boolean {
  const plain = password.normalize('NFKC').trim().toLowerCase();
  const stem = plain.replace(/[\d\p{P}\p{S}]+$/u, '');
  if (KNOWN_PASSWORDS.has(plain) || KNOWN_PASSWORDS.has(stem) || new Set(plain).size === 1) return true;
  return own
    .flatMap((text) => [text.toLowerCase(), text.toLowerCase().split('@', 1)[0] ?? ''])
    .some((text) => text !== '' && (plain === text || stem === text));
}

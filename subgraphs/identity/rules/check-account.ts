/** What names, e-mail addresses and passwords of people and organizations may look like. */
import { fail } from '../../../schema/errors.ts';
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from '../config.ts';
import { canonicalEmail } from './canonical-email.ts';
import { isGuessable } from './is-guessable.ts';

const NAME_LENGTH_MAX = 255;

/** Trimmed; fails with the field's name when empty, too long or with control characters. */
export function checkName(field: string, given: string): string {
  const name = given.trim();
  if (name === '' || [...name].length > NAME_LENGTH_MAX) fail('VALIDATION_ERROR', `${field} must have 1 to ${NAME_LENGTH_MAX} characters`);
  if (/\p{Cc}/u.test(name) || !name.isWellFormed()) fail('VALIDATION_ERROR', `${field} holds characters that are not allowed`);
  return name;
}

/** In its one spelling: two spellings of an address are one account. */
export function checkEmail(given: string): string {
  return canonicalEmail(given) ?? fail('VALIDATION_ERROR', 'The e-mail address is not valid');
}

/** `own` are texts of the account, such as its e-mail address: they are no password. Fails with `VALIDATION_ERROR`. */
export function checkPassword(password: string, ...own: readonly string[]): string {
  const { length } = [...password];
  if (length < PASSWORD_LENGTH_MIN || length > PASSWORD_LENGTH_MAX) {
    fail('VALIDATION_ERROR', `The password must have ${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX} characters`);
  }
  if (isGuessable(password, own)) fail('VALIDATION_ERROR', 'This password is one of the first that a guesser tries: choose another');
  return password;
}

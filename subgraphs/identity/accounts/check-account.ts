/** What names, e-mail addresses and passwords of people and organizations may look like. */
import { fail } from '../../../schema/errors.ts';
import { PASSWORD_LENGTH_MAX, PASSWORD_LENGTH_MIN } from '../config.ts';

const EMAIL = /^[^\s@\p{Cc}]{1,64}@[^\s@\p{Cc}.]+(\.[^\s@\p{Cc}.]+)*$/u;
const NAME_LENGTH_MAX = 255;
const EMAIL_LENGTH_MAX = 254;

/** Trimmed; fails with the field's name when empty, too long or with control characters. */
export function checkName(field: string, given: string): string {
  const name = given.trim();
  if (name === '' || [...name].length > NAME_LENGTH_MAX) fail('VALIDATION_ERROR', `${field} must have 1 to ${NAME_LENGTH_MAX} characters`);
  if (/\p{Cc}/u.test(name) || !name.isWellFormed()) fail('VALIDATION_ERROR', `${field} holds characters that are not allowed`);
  return name;
}

/** Trimmed and in lower case: two spellings of an address are one account. */
export function checkEmail(given: string): string {
  const email = given.trim().toLowerCase();
  if (email.length > EMAIL_LENGTH_MAX || !EMAIL.test(email)) fail('VALIDATION_ERROR', 'The e-mail address is not valid');
  return email;
}

export function checkPassword(password: string): string {
  const { length } = [...password];
  if (length < PASSWORD_LENGTH_MIN || length > PASSWORD_LENGTH_MAX) {
    fail('VALIDATION_ERROR', `The password must have ${PASSWORD_LENGTH_MIN} to ${PASSWORD_LENGTH_MAX} characters`);
  }
  return password;
}

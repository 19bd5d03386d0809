/** Passwords that a guesser tries first: known from breaches, one character over and over, or what everybody knows of the account. */
import { dictionary } from '@zxcvbn-ts/language-common';
import { PASSWORD_LENGTH_MIN } from '../config.ts';

/** Bundled with the package: nothing is asked of anybody. In lower case. */
const KNOWN: ReadonlySet<string> = new Set(dictionary['passwords-common'].filter(({ length }) => length >= PASSWORD_LENGTH_MIN));

/** Capital letters, space around it and digits or signs after it make a known password no better. `own` are texts of the account. */
export function isGuessable(password: string, own: readonly string[]): boolean {
  const plain = password.normalize('NFKC').trim().toLowerCase();
  const stem = plain.replace(/[\d\p{P}\p{S}]+$/u, '');
  if (KNOWN.has(plain) || KNOWN.has(stem) || new Set(plain).size === 1) return true;
  return own.flatMap((text) => [text.toLowerCase(), text.toLowerCase().split('@', 1)[0] ?? '']).some((text) => text !== '' && (plain === text || stem === text));
}

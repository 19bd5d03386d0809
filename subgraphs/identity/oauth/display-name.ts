/**
 * Cleans a name that a stranger chose and a person will read: removes control and direction characters and limits its
 * length.
 */
import { DISPLAY_NAME_LENGTH_MAX } from '../config.ts';

/** Returns `null` if nothing remains. */
export function displayName(input: unknown): string | null {
  if (typeof input !== 'string') return null;
  const clean = input
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .trim();
  const cut = [...clean].slice(0, DISPLAY_NAME_LENGTH_MAX).join('').trim();
  return cut === '' ? null : cut;
}

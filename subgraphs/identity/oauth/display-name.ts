/** A name that a stranger chose and that a person will read: no control characters, no text that turns around, not endless. */
import { DISPLAY_NAME_LENGTH_MAX } from '../config.ts';

/** `null` when nothing is left of it. */
export function displayName(input: unknown): string | null {
  if (typeof input !== 'string') return null;
  const clean = input
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '')
    .trim();
  const cut = [...clean].slice(0, DISPLAY_NAME_LENGTH_MAX).join('').trim();
  return cut === '' ? null : cut;
}

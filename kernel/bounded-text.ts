/** Limits of texts in requests, as the database stores them (decision 9, D4). */

export const TEXT_CHARACTERS_MAX = 255;

/** 1 to 255 characters (Unicode code points, as counted by PostgreSQL). */
export function hasTextLength(text: string): boolean {
  if (text.length <= TEXT_CHARACTERS_MAX) return text.length > 0;
  return text.length <= 2 * TEXT_CHARACTERS_MAX && [...text].length <= TEXT_CHARACTERS_MAX;
}

/** Reason why PostgreSQL cannot store this text or return it unchanged; null if it can. */
export function textError(text: string): string | null {
  if (text.includes('\0')) return 'a NUL character';
  return text.isWellFormed() ? null : 'a lone surrogate (it is not valid Unicode)';
}

/**
 * Cleans a stranger's text for people to read later: PostgreSQL rejects NUL and lone surrogates. Never used for
 * lookups.
 */
const TEXT_LENGTH_MAX = 512;

export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '').slice(0, TEXT_LENGTH_MAX);
}

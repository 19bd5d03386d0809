/**
 * Cleans a stranger's text for people to read later: PostgreSQL rejects NUL and lone surrogates. Never used for
 * lookups.
 */
const TEXT_LENGTH_MAX = 512;

/** Keeps at most the first `TEXT_LENGTH_MAX` UTF-16 code units. */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '').slice(0, TEXT_LENGTH_MAX);
}

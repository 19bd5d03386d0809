/** A text of a stranger for people to read later: PostgreSQL takes no NUL and no half of a character. Nothing is looked up by it. */
const TEXT_LENGTH_MAX = 512;

export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '').slice(0, TEXT_LENGTH_MAX);
}

/** Statements with which the ORM's transaction is over: `commit` leaves with them. */

const committingTexts = new Set<unknown>();

/**
 * Says of a statement's text, and gives it back, that the ORM's transaction is over with it where it succeeds: its `commit` leaves in the
 * same message. What it locks is then held for as long as PostgreSQL takes, and not until this process has had a turn as well. Nothing may
 * follow in that transaction. As with `prepared`, a connection reads it once, and there is a fixed number of them.
 */
export function committing(text: string): string {
  committingTexts.add(text);
  return text;
}

export function isCommitting(text: unknown): text is string {
  return committingTexts.has(text);
}

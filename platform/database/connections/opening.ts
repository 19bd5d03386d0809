/**
 * What a transaction of the ORM begins with leaves in one message with its `begin`, and its `commit` in one message with its last statement
 * where that says so: round trips less.
 */
import { AsyncLocalStorage } from 'node:async_hooks';

interface Opening {
  /** Null once they have left. */
  commands: string | null;
}

const openings = new AsyncLocalStorage<Opening>();

/** `begin` is to begin one transaction, in which `opened` is called before anything else. Without the commands nothing is done in it. */
export function openWith<T>(commands: string, begin: (opened: () => void) => Promise<T>): Promise<T> {
  const opening: Opening = { commands };
  return openings.run(opening, () =>
    begin(() => {
      if (opening.commands !== null) throw new Error('A transaction has begun without its settings');
    }),
  );
}

/** What is sent for a statement: for the one that begins such a transaction, with its commands. */
export function withOpening(text: unknown): unknown {
  const opening = text === 'begin' ? openings.getStore() : undefined;
  if (!opening || opening.commands === null) return text;
  const { commands } = opening;
  opening.commands = null;
  return `begin; ${commands}`;
}

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

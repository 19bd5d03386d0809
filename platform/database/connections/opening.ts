/** What a transaction of the ORM begins with leaves in one message with its `begin`: one round trip less. */
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

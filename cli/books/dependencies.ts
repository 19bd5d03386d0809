/** Output, saved files and waiting, which commands receive so that tests can replace them. */
import type { BooksEnvironment } from './environment.ts';
import type { SavedProgress } from './import/saved-progress.ts';
import type { SavedLogin } from './saved-login.ts';

export interface Dependencies {
  /** Prints the result to standard output. */
  print(text: string): void;
  /** Writes part of the result to standard output, without a line break. */
  write(text: string): void;
  /** Prints a message to standard error. */
  say(text: string): void;
  /** Replaces the line of progress; empty: removes it. Null if standard error is not a terminal. */
  readonly draw: ((text: string) => void) | null;
  readonly saved: SavedLogin;
  readonly progress: SavedProgress;
  /** A key and a URL from the environment override the saved login. */
  readonly environment: BooksEnvironment;
  readonly machineName: string;
  wait(seconds: number): Promise<void>;
  /** Everything that is typed or piped in. */
  readInput(): Promise<string>;
}

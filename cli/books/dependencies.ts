/** What a command finds around itself: where to write, what is remembered, and how to wait. */
import type { SavedLogin } from './saved-login.ts';

export interface Dependencies {
  /** The result, on standard output. */
  print(text: string): void;
  /** What is said along the way, on standard error. */
  say(text: string): void;
  readonly saved: SavedLogin;
  /** A key and an address from the environment go before what is remembered. */
  readonly environment: { readonly key: string | null; readonly api: string | null };
  readonly machineName: string;
  wait(seconds: number): Promise<void>;
  /** All that is typed or piped in. */
  readInput(): Promise<string>;
}

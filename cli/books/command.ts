/** What every command of the people's side is: a name, its flags, and what it does. The usage text is written from it. */
import type { Given } from './given.ts';
import type { Surroundings } from './surroundings.ts';

export interface Flag {
  /** What the usage text shows for the value; absent: a switch. */
  readonly hint?: string;
  readonly about: string;
}

export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly flags: Readonly<Record<string, Flag>>;
  /** Fails with an error whose message is for the person. */
  run(given: Given, surroundings: Surroundings): Promise<void>;
}

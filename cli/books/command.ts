/** What every command of a user is: a name, its flags, and what it does. The usage text is written from it. */
import type { Args } from '../kit/parse-args.ts';
import type { CommandLine } from '../kit/run-program.ts';
import type { Dependencies } from './dependencies.ts';

export interface Command extends CommandLine {
  /** A number that it answers is the exit code. Fails with an error whose message is for the person. */
  run(args: Args, dependencies: Dependencies): Promise<unknown>;
}

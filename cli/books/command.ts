/** What every command of a user is: a name, its flags, and what it does. The usage text is written from it. */
import type { Args } from '../kit/parse-args.ts';
import type { CommandLine } from '../kit/run-program.ts';
import type { Dependencies } from './dependencies.ts';

export interface Command extends CommandLine {
  /** Answers an exit code where it is not 0. Fails with an error whose message is for the person. */
  run(args: Args, dependencies: Dependencies): Promise<void | number>;
}
